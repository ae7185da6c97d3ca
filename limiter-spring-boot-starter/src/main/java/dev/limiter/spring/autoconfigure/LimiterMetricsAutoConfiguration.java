package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.spring.metrics.LimiterMetrics;
import dev.limiter.spring.metrics.StorageMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Counts outcomes in whatever registry of meters the application has. */
@AutoConfiguration(after = LimiterAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnLimiter
public final class LimiterMetricsAutoConfiguration {

    @Bean
    LimiterMetrics limiterMetrics(ObjectProvider<MeterRegistry> registries, RateLimiters limiters) {
        return new LimiterMetrics(registries, limiters, nameOf(limiters.storage()));
    }

    private static String nameOf(RateLimiterStorage storage) {
        if (storage instanceof InMemoryRateLimiterStorage) {
            return "memory";
        }
        return storage instanceof FailoverRateLimiterStorage failover ? failover.name() : "custom";
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
