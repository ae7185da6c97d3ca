package dev.limiter.redis;

import dev.limiter.RateLimiterStorage;
import dev.limiter.TestedStorage;
import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs the contract tests of limiter-core on Redis. */
public final class RedisStorageProvider implements TestedStorage {

    private static final AtomicInteger STORAGES = new AtomicInteger();

    @Override
    public RateLimiterStorage create(TimeSource timeSource, long maxKeys) {
        return of(timeSource);
    }

    /** Returns a separate storage on the shared server. */
    static RedisRateLimiterStorage of(TimeSource timeSource) {
        return of(timeSource, "test-" + STORAGES.incrementAndGet());
    }

    /**
     * Returns one of the storages that share their states; uses the clock of the server if no time source is passed.
     */
    static RedisRateLimiterStorage of(@Nullable TimeSource timeSource, String prefix) {
        RedisRateLimiterStorage.Builder builder = RedisRateLimiterStorage.builder(SharedRedis.redis())
                .keyPrefix(prefix + ":")
                .timeout(Duration.ofSeconds(10));
        return timeSource == null
                ? builder.build()
                : builder.timeSource(timeSource).build();
    }
}
