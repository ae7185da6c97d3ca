package dev.limiter.memory;

import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiterStorageProvider;
import dev.limiter.TimeSource;

/** Makes an {@link InMemoryRateLimiterStorage}. */
public final class InMemoryStorageProvider implements RateLimiterStorageProvider {

    @Override
    public RateLimiterStorage create(RateLimiterFactory factory, TimeSource timeSource, long maxKeys) {
        return new InMemoryRateLimiterStorage(factory, timeSource, maxKeys);
    }
}
