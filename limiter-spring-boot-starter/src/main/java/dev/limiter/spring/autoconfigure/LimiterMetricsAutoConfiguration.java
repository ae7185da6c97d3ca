package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiters;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.metrics.LimiterMetrics;
import dev.limiter.spring.metrics.RuleGauges;
import dev.limiter.spring.metrics.StorageMetrics;
import dev.limiter.spring.operate.LiveRules;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Counts outcomes in whatever registry of meters the application has. */
@AutoConfiguration(after = LimiterChangesAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnLimiter
public final class LimiterMetricsAutoConfiguration {

    @Bean
    LimiterMetrics limiterMetrics(
            ObjectProvider<MeterRegistry> registries, RateLimiters limiters, LimiterSettings settings) {
        return new LimiterMetrics(registries, limiters, StorageName.of(limiters.storage()), settings.nearLimit());
    }

    @Bean
    @ConditionalOnBean(LiveRules.class)
    RuleGauges limiterRuleGauges(ObjectProvider<MeterRegistry> registries, LiveRules rules) {
        return new RuleGauges(registries, rules);
    }

    @Bean
    @ConditionalOnBean(FailoverRateLimiterStorage.class)
    StorageMetrics limiterStorageMetrics(
            ObjectProvider<MeterRegistry> registries,
            ObjectProvider<StorageStatistics> statistics,
            ObjectProvider<FailoverRateLimiterStorage> storage) {
        return new StorageMetrics(registries, statistics, storage);
    }
}
