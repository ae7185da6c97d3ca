package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.aop.ForeignAnnotationCheck;
import dev.limiter.spring.aop.LimitedMethodScanner;
import dev.limiter.spring.aop.LimitedMethods;
import dev.limiter.spring.aop.RateLimiterAdvisor;
import dev.limiter.spring.aop.RateLimiterMethodInterceptor;
import dev.limiter.spring.aop.RateLimiterPlacement;
import dev.limiter.spring.compile.RuleCompiler;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.CurrentRequest;
import dev.limiter.spring.decide.RuleDecider;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Auto-configuration of limits on annotated methods. */
@AutoConfiguration(after = LimiterAutoConfiguration.class)
@ConditionalOnLimiter
@Import(LimiterMethodAutoConfiguration.ProxyCreator.class)
public final class LimiterMethodAutoConfiguration {

    private static final String INTERCEPTOR = "limiterMethodInterceptor";

    /**
     * By default outside transactions, caches, retries and {@code @Async}: a rejected call opens no transaction, is not
     * retried and takes no thread. Inside method security: a forbidden call does not count.
     */
    private static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RateLimiterAdvisor limiterMethodAdvisor(Environment environment) {
        RateLimiterAdvisor advisor = new RateLimiterAdvisor();
        advisor.setAdviceBeanName(INTERCEPTOR);
        advisor.setOrder(order(environment));
        return advisor;
    }

    /**
     * Reads the order before properties are bound. Binding reports an unreadable value later, with all other problems.
     */
    private static int order(Environment environment) {
        try {
            return environment.getProperty("limiter.aspect.order", Integer.class, DEFAULT_ORDER);
        } catch (ConversionException | IllegalArgumentException unreadable) {
            return DEFAULT_ORDER;
        }
    }

    @Bean
    static RateLimiterPlacement limiterAdvisorPlacement() {
        return new RateLimiterPlacement();
    }

    @Bean(INTERCEPTOR)
    RateLimiterMethodInterceptor limiterMethodInterceptor(
            LimitedMethods methods, RuleDecider decider, ObjectProvider<CurrentRequest> currentRequest) {
        return new RateLimiterMethodInterceptor(
                methods, decider, currentRequest.getIfAvailable(() -> CurrentRequest.NONE));
    }

    @Bean
    LimitedMethods limiterMethodLimits(Rules rules, RuleCompiler compiler, Environment environment) {
        return new LimitedMethods(rules, compiler, environment);
    }

    /** Never lazy, so that mistakes are found at startup. */
    @Bean
    @Lazy(false)
    LimitedMethodScanner limiterMethodScanner(
            ConfigurableListableBeanFactory beans, LimitedMethods methods, Rules rules) {
        return new LimitedMethodScanner(beans, methods, rules);
    }

    @Bean
    ForeignAnnotationCheck limiterForeignAnnotations(ConfigurableListableBeanFactory beans, Rules rules) {
        return new ForeignAnnotationCheck(beans, rules);
    }

    /**
     * Ensures that advisors are applied, even with {@code spring.aop.auto=false}. Uses class proxies then, as Spring
     * Boot does by default: Spring MVC does not recognize a controller behind an interface proxy.
     */
    static final class ProxyCreator implements ImportBeanDefinitionRegistrar, EnvironmentAware {

        private boolean classes = true;

        @Override
        public void setEnvironment(Environment environment) {
            classes = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            if (classes) {
                AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
            }
        }
    }
}
