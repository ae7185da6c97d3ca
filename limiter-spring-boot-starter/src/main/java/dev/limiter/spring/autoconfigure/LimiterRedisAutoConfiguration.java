package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.StorageListener;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.RedisRateLimiterStorage;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.spring.autoconfigure.StartupSummary.StorageAddress;
import dev.limiter.spring.check.KeySecretCheck;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.config.LimiterProperties;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.config.RedisSettings;
import dev.limiter.spring.config.Storage;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.key.SecretValues;
import dev.limiter.spring.operate.StorageEventPublisher;
import dev.limiter.spring.operate.StorageListeners;
import dev.limiter.spring.operate.StorageLog;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.function.SingletonSupplier;

/** Auto-configuration of {@code limiter.storage: redis}. */
@AutoConfiguration(
        after = LimiterRulesAutoConfiguration.class,
        before = LimiterAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnLimiter
@ConditionalOnSetting(value = "limiter.storage", type = Storage.class, is = "REDIS")
public final class LimiterRedisAutoConfiguration {

    /** A separate connection, so that decisions never wait for other commands of the application. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {
                "io.lettuce.core.AbstractRedisClient",
                "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory"
            })
    @ConditionalOnMissingBean(RateLimiterStorage.class)
    static class Lettuce {

        @Bean
        OwnConnection limiterRedisConnection(
                ObjectProvider<RedisConnectionFactory> application, LimiterSettings settings) {
            String url = settings.redis().url();
            return new OwnConnection(
                    url == null
                            ? ApplicationRedisConfiguration.of(application.getIfUnique())
                            : ApplicationRedisConfiguration.of(url),
                    settings.redis().timeout());
        }

        @Bean
        FailoverRateLimiterStorage limiterStorage(
                OwnConnection connection,
                LimiterSettings settings,
                RateLimiterFactory factory,
                ObjectProvider<Rules> rules,
                ObjectProvider<StorageListener> listeners,
                StorageStatistics statistics) {
            RedisSettings redis = settings.redis();
            SingletonSupplier<Rules> inForce = SingletonSupplier.of(rules::getObject);
            RedisRateLimiterStorage shared = withStrategies(
                            RedisRateLimiterStorage.builder(connection.redis()), factory)
                    .keyPrefix(redis.keyPrefix())
                    .timeout(redis.timeout())
                    .statistics(statistics)
                    .lease(rule -> inForce.obtain().current().lease(rule.name()))
                    .build();
            FailoverRateLimiterStorage.Builder storage = FailoverRateLimiterStorage.builder(
                            shared, new InMemoryRateLimiterStorage(factory, shared.clock(), settings.maxKeys()))
                    .onFailure(rule -> inForce.obtain().current().onFailure(rule, redis.onFailure()))
                    .listener(new StorageListeners(listeners.orderedStream().toList()));
            if (redis.instances() > 0) {
                storage.instances(redis.instances());
            }
            connection.connect();
            return storage.build();
        }

        /** Uses the strategies of the application's own factory. */
        private static RedisRateLimiterStorage.Builder withStrategies(
                RedisRateLimiterStorage.Builder storage, RateLimiterFactory factory) {
            try {
                return storage.strategies(factory);
            } catch (IllegalArgumentException rejected) {
                throw RedisConfigurationProblems.of(String.valueOf(rejected.getMessage()));
            }
        }

        @Bean
        RedisWarmUp limiterRedisWarmUp(FailoverRateLimiterStorage storage, ObjectProvider<Rules> rules) {
            return new RedisWarmUp(storage, rules);
        }

        @Bean
        KeySecretCheck limiterGuessableSecrets(SecretValues values, LimiterSettings settings) {
            return new KeySecretCheck(values, settings.redis().keySecret());
        }

        @Bean
        StorageStatistics limiterStorageStatistics() {
            return new StorageStatistics();
        }

        @Bean
        EvictionCheck limiterEvictionCheck(OwnConnection connection, LimiterSettings settings) {
            return new EvictionCheck(connection.redis(), settings.redis().keyPrefix());
        }

        @Bean
        StorageAddress limiterStorageAddress(OwnConnection connection) {
            return new StorageAddress("Redis at " + connection.address());
        }

        @Bean
        StorageLog limiterStorageLog() {
            return new StorageLog("Redis", "Something else writes below limiter.redis.key-prefix");
        }

        @Bean
        StorageEventPublisher limiterStorageEvents(
                ObjectProvider<RateLimitListener> listeners, ApplicationEventPublisher events) {
            return new StorageEventPublisher("redis", listeners, events);
        }
    }

    /**
     * Fails without Spring Data Redis or Lettuce. Falling back to memory would silently give each instance its own
     * limits.
     *
     * @param properties bound first, because an invalid {@code limiter.storage} also leads here
     */
    @Bean
    @ConditionalOnMissingBean(RateLimiterStorage.class)
    RateLimiterStorage limiterStorage(LimiterProperties properties) {
        throw RedisConfigurationProblems.missing();
    }
}
