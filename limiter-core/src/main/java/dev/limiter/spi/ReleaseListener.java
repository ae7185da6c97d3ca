package dev.limiter.spi;

import dev.limiter.RateLimiterStorage;

/**
 * Receives releases of concurrency permits, and refunds of any limit, in any thread. Implementations must be
 * thread-safe and fast, and must not block. Exceptions are logged and otherwise ignored.
 */
@FunctionalInterface
public interface ReleaseListener {

    /**
     * Called after permits were released or refunded.
     *
     * @param rule the name of the rule
     * @param key the key of the charge
     */
    void released(String rule, String key);

    /**
     * Called if the storage reports no releases, or not all of them, so that waiting requests have to poll. The default
     * of {@link RateLimiterStorage#onRelease} calls this.
     */
    default void unreported() {}
}
