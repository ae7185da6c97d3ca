package dev.limiter.spring.aop;

import dev.limiter.spring.compiled.Rules;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;

/**
 * Limits annotated methods of beans in the context of a servlet: the proxy creator of the application's context makes
 * no proxies in contexts below it.
 */
public final class ServletContextMethods implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final String PROXIES = "limiterServletProxies";

    private final BeanFactory application;

    /** {@code application}: has the limits. */
    public ServletContextMethods(BeanFactory application) {
        this.application = application;
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        context.addBeanFactoryPostProcessor(this::addTo);
    }

    private void addTo(ConfigurableListableBeanFactory beans) {
        if (beans instanceof BeanDefinitionRegistry registry && !registry.containsBeanDefinition(PROXIES)) {
            RateLimiterAdvisor advisor = application.getBean(RateLimiterAdvisor.class);
            register(registry, PROXIES, Proxies.class, () -> new Proxies(advisor));
            register(registry, "limiterServletMethodScanner", LimitedMethodScanner.class, () -> scanner(beans));
        }
    }

    private LimitedMethodScanner scanner(ConfigurableListableBeanFactory beans) {
        return new LimitedMethodScanner(
                beans, application.getBean(LimitedMethods.class), application.getBean(Rules.class));
    }

    private static <T> void register(
            BeanDefinitionRegistry registry, String name, Class<T> type, Supplier<T> supplier) {
        RootBeanDefinition definition = new RootBeanDefinition(type, supplier);
        definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
        registry.registerBeanDefinition(name, definition);
    }

    /** After what else makes proxies, some of which finds the advisor itself. */
    static final class Proxies extends AbstractAdvisingBeanPostProcessor {

        private static final long serialVersionUID = 1L;

        Proxies(RateLimiterAdvisor advisor) {
            this.advisor = advisor;
            setOrder(Ordered.LOWEST_PRECEDENCE);
            setProxyTargetClass(true);
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            boolean limited = bean instanceof Advised proxy && proxy.indexOf(Objects.requireNonNull(advisor)) >= 0;
            return limited ? bean : super.postProcessAfterInitialization(bean, name);
        }
    }
}
