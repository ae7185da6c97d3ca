package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.RateLimiters;
import dev.limiter.TimeSource;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.decide.DecisionMeter;
import dev.limiter.spring.decide.DecisionReports;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.spring.operate.RejectionLogger;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the core: clock, algorithms, limiters, and the storage with its cleanup. */
@AutoConfiguration(after = LimiterRulesAutoConfiguration.class)
@ConditionalOnLimiter
public final class LimiterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TimeSource limiterTimeSource() {
        return TimeSource.system();
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimiterFactory limiterFactory(ObjectProvider<RateLimiterStrategy> strategies) {
        return new RateLimiterFactory(strategies.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimiterStorage limiterStorage(RateLimiterFactory factory, TimeSource timeSource, LimiterSettings settings) {
        return new InMemoryRateLimiterStorage(factory, timeSource, settings.maxKeys());
    }

    /** Does not close the storage, which is a separate bean. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    RateLimiters limiterRateLimiters(RateLimiterStorage storage) {
        return new RateLimiters(storage);
    }

    /** The application's own limiters may use another storage than the bean; a mock has none. */
    @Bean
    DecidingStorage limiterDecidingStorage(RateLimiters limiters, ObjectProvider<RateLimiterStorage> storage) {
        RateLimiterStorage deciding = DecidingStorage.of(limiters, storage::getObject);
        return new DecidingStorage(deciding, StorageName.of(deciding));
    }

    @Bean(destroyMethod = "stop")
    StorageCleaner limiterStorageCleaner(DecidingStorage storage, LimiterSettings settings) {
        return new StorageCleaner(storage.storage(), settings.maxKeys());
    }

    /** Not for a child context with the {@code RateLimiters} of its parent: closing it must not end waits there. */
    @Bean
    @ConditionalOnBean(value = RateLimiters.class, search = SearchStrategy.CURRENT)
    WaitingRoomLifecycle limiterWaitingRoomLifecycle(RateLimiters limiters) {
        return new WaitingRoomLifecycle(limiters);
    }

    @Bean
    RejectionLogger limiterRejectionLogger() {
        return new RejectionLogger();
    }

    @Bean
    PermitHolders limiterPermitHolders(TimeSource timeSource) {
        return new PermitHolders(timeSource);
    }

    @Bean
    RuleDecider limiterRuleDecider(
            RateLimiters limiters,
            DecidingStorage storage,
            ObjectProvider<DecisionMeter> meters,
            ObjectProvider<RateLimitListener> listeners,
            KeyHash hash,
            PermitHolders holders) {
        DecisionReports reports = new DecisionReports(
                meters.orderedStream().toList(), listeners.orderedStream().toList(), hash);
        return new RuleDecider(limiters, storage.storage(), reports, holders);
    }
}
