package dev.limiter.spring.storage;

import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.util.function.Supplier;
import org.springframework.core.InfrastructureProxy;

/**
 * The storage of the application's {@link RateLimiters}.
 *
 * @param name its name in metrics and the endpoint: {@code memory}, {@code redis}, or {@code custom}
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
    public static DecidingStorage of(RateLimiters limiters, Supplier<RateLimiterStorage> otherwise) {
        RateLimiterStorage own = limiters.storage();
        RateLimiterStorage deciding = own == null ? otherwise.get() : own;
        RateLimiterStorage target = target(deciding);
        if (target instanceof FailoverRateLimiterStorage failover) {
            return new DecidingStorage(deciding, failover.name());
        }
        return new DecidingStorage(deciding, target instanceof InMemoryRateLimiterStorage ? "memory" : "custom");
    }
}
