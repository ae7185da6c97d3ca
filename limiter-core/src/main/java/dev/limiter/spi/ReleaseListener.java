package dev.limiter.spi;

import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;

/**
 * Receives the release of permits of concurrency limits, and refunds of any limit, in any thread. Implementations are thread-safe and quick,
 * and must neither block nor throw; what they throw is logged, and changes nothing.
 */
@FunctionalInterface
public interface ReleaseListener {

    /**
     * @param rule the name of the rule
     * @param key as {@link Decision#key()} of a decision that was rejected for it
     */
    void released(String rule, String key);

    /**
     * Hears that the storage reports no releases, or not all: whoever waits for one has to ask it again from time to
     * time. {@link RateLimiterStorage#onRelease} calls this where a storage does not say otherwise.
     */
    default void unreported() {}
}
