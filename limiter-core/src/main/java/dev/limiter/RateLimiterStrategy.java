package dev.limiter;

import dev.limiter.spi.CompiledLimit;

/**
 * Implements one algorithm: compiles a {@link Limit} into the arithmetic that a storage applies to the state of each
 * key. Strategies use no clock, I/O or locks. A strategy passed to {@link RateLimiterFactory}, for example as a Spring
 * bean, replaces the built-in one for its algorithm.
 */
public interface RateLimiterStrategy {

    Algorithm algorithm();

    /**
     * Compiles a limit, computing its constants.
     *
     * @param now epoch nanoseconds; the arithmetic may use this time as its origin
     * @throws IllegalArgumentException if the limit has another algorithm
     */
    CompiledLimit compile(Limit limit, long now);
}
