package dev.limiter;

/**
 * Makes the storage of {@link RateLimiters#builder()}; found through {@link java.util.ServiceLoader}. Called once for
 * each built {@link RateLimiters}.
 */
public interface RateLimiterStorageProvider {

    RateLimiterStorage create(RateLimiterFactory factory, TimeSource timeSource, long maxKeys);
}
