package dev.limiter;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.util.ServiceLoader;

/** The storage for contract tests: in memory, or that of another module that runs them. */
@FunctionalInterface
public interface TestedStorage {

    RateLimiterStorage create(TimeSource timeSource, long maxKeys);

    static RateLimiters limiters(TimeSource timeSource) {
        return limiters(timeSource, 100_000);
    }

    static RateLimiters limiters(TimeSource timeSource, long maxKeys) {
        TestedStorage storage =
                ServiceLoader.load(TestedStorage.class).findFirst().orElse(TestedStorage::inMemory);
        return new RateLimiters(storage.create(timeSource, maxKeys));
    }

    private static RateLimiterStorage inMemory(TimeSource timeSource, long maxKeys) {
        return new InMemoryRateLimiterStorage(new RateLimiterFactory(), timeSource, maxKeys);
    }
}
