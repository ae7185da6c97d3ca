package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.aop.LimitedMethodScanner;
import dev.limiter.spring.aop.LimitedMethods;
import dev.limiter.spring.aop.RateLimiterAdvisor;
import dev.limiter.spring.compile.Rules;
import java.util.Objects;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.FrameworkServlet;

/**
 * Limits annotated methods in the child contexts of additional servlets, which the proxy creator of the application
 * context does not cover. Servlets that use the application context itself are left alone.
 */
final class FrameworkServletProcessor implements BeanPostProcessor {

    private static final String PROXIES = "limiterServletProxies";

    private final BeanFactory application;

    FrameworkServletProcessor(BeanFactory application) {
        this.application = application;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        Object servlet = bean instanceof ServletRegistrationBean<?> registration ? registration.getServlet() : bean;
        if (servlet instanceof FrameworkServlet spring) {
            spring.setContextInitializers(this::addTo);
        }
        return bean;
    }

    private void addTo(ConfigurableApplicationContext context) {
        context.addBeanFactoryPostProcessor(beans -> {
            if (beans instanceof BeanDefinitionRegistry registry && !beans.containsSingleton(PROXIES)) {
                beans.registerSingleton(PROXIES, new Proxies(application.getBean(RateLimiterAdvisor.class)));
                registry.registerBeanDefinition(
                        "limiterServletMethodScanner",
                        new RootBeanDefinition(LimitedMethodScanner.class, () -> scanner(beans)));
            }
        });
    }

    private LimitedMethodScanner scanner(ConfigurableListableBeanFactory beans) {
        return new LimitedMethodScanner(
                beans, application.getBean(LimitedMethods.class), application.getBean(Rules.class));
    }

    /** Runs after all other proxy creators, because some of them find the advisor themselves. */
    private static final class Proxies extends AbstractAdvisingBeanPostProcessor {

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
