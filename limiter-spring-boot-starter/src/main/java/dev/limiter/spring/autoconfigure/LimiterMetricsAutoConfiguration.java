package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiters;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.spring.actuate.metrics.LimiterMetrics;
import dev.limiter.spring.actuate.metrics.LimiterObservations;
import dev.limiter.spring.actuate.metrics.MeterSuppressingHandler;
import dev.limiter.spring.actuate.metrics.QueuedRequestCounter;
import dev.limiter.spring.actuate.metrics.RuleGauges;
import dev.limiter.spring.actuate.metrics.StorageMetrics;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.spring.operate.LiveRules;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Auto-configuration of metrics and observations. */
@AutoConfiguration(
        after = LimiterChangesAutoConfiguration.class,
        // of Spring Boot 3.5, which creates its own meter handler only if there is none
        afterName = "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnLimiter
public final class LimiterMetricsAutoConfiguration {

    @Bean
    LimiterMetrics limiterMetrics(
            ObjectProvider<MeterRegistry> registries,
            RateLimiters limiters,
            DecidingStorage storage,
            LimiterSettings settings) {
        return new LimiterMetrics(registries, limiters, storage, settings.nearLimit());
    }

    @Bean
    @ConditionalOnBean(LiveRules.class)
    RuleGauges limiterRuleGauges(
            ObjectProvider<MeterRegistry> registries, LiveRules rules, PermitHolders holders, RateLimiters limiters) {
        return new RuleGauges(registries, rules, holders, new QueuedRequestCounter(limiters));
    }

    @Bean
    @ConditionalOnBean(FailoverRateLimiterStorage.class)
    StorageMetrics limiterStorageMetrics(
            ObjectProvider<MeterRegistry> registries,
            ObjectProvider<StorageStatistics> statistics,
            ObjectProvider<FailoverRateLimiterStorage> storage) {
        return new StorageMetrics(registries, statistics, storage);
    }

    /** Observations, which become spans in applications with tracing. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ObservationRegistry.class, MeterObservationHandler.class})
    static class Observations {

        @Bean
        LimiterObservations limiterObservations(
                ObjectProvider<ObservationRegistry> registry, ObjectProvider<RateLimiters> limiters) {
            return new LimiterObservations(registry, limiters);
        }

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        MeterSuppressingHandler limiterTimedObservationHandler() {
            return new MeterSuppressingHandler();
        }
    }
}
