package dev.limiter;

/**
 * Permits that a request took of one limit, and now returns.
 *
 * @param mark what {@link LimitState#take} returned for them, or {@link NumberLimit#NOTHING}
 * @param at when they were taken, in epoch nanoseconds; {@code Long.MIN_VALUE} if that says nothing, because the limit
 *     has changed since
 * @param returnedSince how many permits of the same key other requests have returned since then, at most: each of them
 *     may have moved what the mark stands for
 * @param permits how many, 1 or more; or 0 with {@link NumberLimit#NOTHING}
 */
public record Taken(long mark, long at, long returnedSince, long permits) {}
