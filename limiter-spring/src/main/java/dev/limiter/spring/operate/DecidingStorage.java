package dev.limiter.spring.operate;

import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import java.util.function.Supplier;
import org.springframework.core.InfrastructureProxy;

/**
 * The storage of the application's {@link RateLimiters}.
 *
 * @param name its name in metrics and the endpoint
 */
public record DecidingStorage(RateLimiterStorage storage, String name) {

    /** The storage itself, or the one that it stands for now: tests replace theirs. */
    public static RateLimiterStorage target(RateLimiterStorage storage) {
        return storage instanceof InfrastructureProxy proxy
                        && proxy.getWrappedObject() instanceof RateLimiterStorage wrapped
                ? wrapped
                : storage;
    }

    /**
     * The storage that limiters decide in.
     *
     * @param otherwise asked where they have none, as a mock in a test of the application
     */
    public static RateLimiterStorage of(RateLimiters limiters, Supplier<RateLimiterStorage> otherwise) {
        RateLimiterStorage own = limiters.storage();
        return own == null ? otherwise.get() : own;
    }
}
