package dev.limiter.spring.autoconfigure;

import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.spring.actuate.health.Boot3HealthIndicator;
import dev.limiter.spring.actuate.health.Boot4HealthIndicator;
import dev.limiter.spring.actuate.health.LimiterHealth;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.resolve.LimitResolvers;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Auto-configuration of health, for limits in Redis and for rules that change at run time. */
@AutoConfiguration(after = LimiterChangesAutoConfiguration.class)
@ConditionalOnLimiter
@Conditional(LimiterHealthAutoConfiguration.OnEnabled.class)
public final class LimiterHealthAutoConfiguration {

    @Bean
    LimiterHealth limiterHealth(
            ObjectProvider<FailoverRateLimiterStorage> storage,
            ObjectProvider<LiveRules> rules,
            LimitResolvers resolvers,
            ConfigurableEnvironment environment) {
        RulesFile file = RulesFile.of(environment);
        return new LimiterHealth(
                storage.getIfAvailable(), rules.getIfAvailable(), file == null ? null : file.toString(), resolvers);
    }

    /** For Spring Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    static class Boot4 {

        @Bean
        @ConditionalOnMissingBean(name = "limiterHealthIndicator")
        Boot4HealthIndicator limiterHealthIndicator(LimiterHealth health) {
            return new Boot4HealthIndicator(health);
        }
    }

    /** For Spring Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
    static class Boot3 {

        @Bean
        @ConditionalOnMissingBean(name = "limiterHealthIndicator")
        Boot3HealthIndicator limiterHealthIndicator(LimiterHealth health) {
            return new Boot3HealthIndicator(health);
        }
    }

    /** Replaces Spring Boot's own condition, which has a different package in each Spring Boot generation. */
    static final class OnEnabled extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            boolean byDefault = environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
            boolean enabled = environment.getProperty("management.health.limiter.enabled", Boolean.class, byDefault);
            return new ConditionOutcome(
                    enabled,
                    "management.health.limiter.enabled, else management.health.defaults.enabled, is " + enabled);
        }
    }
}
