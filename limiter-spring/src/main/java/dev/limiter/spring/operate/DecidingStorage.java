package dev.limiter.spring.operate;

import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import java.util.function.Supplier;
import org.springframework.core.InfrastructureProxy;

/**
 * The storage of the application's {@link RateLimiters}.
 *
 * @param name the name in metrics and the endpoint
 */
public record DecidingStorage(RateLimiterStorage storage, String name) {

    /** Returns the storage, or the current target of a proxy, which tests use. */
    public static RateLimiterStorage target(RateLimiterStorage storage) {
        return storage instanceof InfrastructureProxy proxy
                        && proxy.getWrappedObject() instanceof RateLimiterStorage wrapped
                ? wrapped
                : storage;
    }

    /**
     * Returns the storage of the limiters.
     *
     * @param otherwise provides a storage if they have none, such as a mock in a test
     */
    public static RateLimiterStorage of(RateLimiters limiters, Supplier<RateLimiterStorage> otherwise) {
        RateLimiterStorage own = limiters.storage();
        return own == null ? otherwise.get() : own;
    }
}
