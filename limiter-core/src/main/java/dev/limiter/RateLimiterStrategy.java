package dev.limiter;

import dev.limiter.spi.CompiledLimit;

/**
 * One algorithm: turns a {@link Limit} of its kind into the arithmetic that a storage runs on the state of each key.
 * Pure: no clock, no I/O, no lock. A strategy that is passed to {@link RateLimiterFactory}, such as a bean, replaces the
 * library's strategy for the same algorithm.
 */
public interface RateLimiterStrategy {

    Algorithm algorithm();

    /**
     * The arithmetic of a limit, with its constants worked out.
     *
     * @param now epoch nanoseconds; arithmetic that counts from an origin may count from here
     * @throws IllegalArgumentException if the limit is not one of this algorithm
     */
    CompiledLimit compile(Limit limit, long now);
}
