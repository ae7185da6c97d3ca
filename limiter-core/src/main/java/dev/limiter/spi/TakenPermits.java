package dev.limiter.spi;

/**
 * Permits that a request took of one limit and now returns. Immutable.
 *
 * @param mark the result of {@link LimitState#take}, or {@link SingleNumberLimit#NOTHING}
 * @param at the time of the take, in epoch nanoseconds; {@code Long.MIN_VALUE} if the limit has changed since
 * @param returnedSince the most permits that other requests of this key have returned since then; each may have moved
 *     the state below the mark
 * @param permits the number of permits, 1 or more; 0 with {@link SingleNumberLimit#NOTHING}
 */
public record TakenPermits(long mark, long at, long returnedSince, long permits) {}
