package dev.limiter.failover;

import dev.limiter.Limit;
import dev.limiter.Rule;
import java.math.BigInteger;
import java.time.Duration;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** Limits of another size, by which what was used counts alike. */
final class ResizedLimit {

    private ResizedLimit() {}

    /** The share of a rule that one of several instances may permit by itself: each limit divided, and at least 1. */
    static Rule share(Rule rule, int instances) {
        return instances == 1
                ? rule
                : each(
                        rule,
                        limit -> resized(
                                limit, divided(limit.limit(), instances), divided(limit.capacity(), instances)));
    }

    /**
     * A rule with room for so many permits of each limit at once: where a limit is full, nothing tells how many were used
     * beyond it.
     */
    static Rule withRoom(Rule rule, ToLongFunction<Limit> permits) {
        return each(rule, limit -> withRoom(limit, permits.applyAsLong(limit)));
    }

    private static Limit withRoom(Limit limit, long permits) {
        return limit.isSpaced() || limit.capacity() >= permits
                ? limit
                : resized(limit, LimitUse.hasLevel(limit) ? limit.limit() : permits, permits);
    }

    private static Rule each(Rule rule, UnaryOperator<Limit> resizing) {
        return Rule.of(rule.name(), rule.limits().stream().map(resizing).toList());
    }

    /** {@code burst}: of a bucket. */
    private static Limit resized(Limit limit, long permits, long burst) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET -> {
                Limit.TokenBucket bucket = (Limit.TokenBucket) limit;
                yield new Limit.TokenBucket(
                        bucket.name(),
                        permits,
                        bucket.window(),
                        burst(burst, permits, bucket.window()),
                        bucket.warmUp());
            }
            case LEAKY_BUCKET -> {
                Limit.LeakyBucket bucket = (Limit.LeakyBucket) limit;
                yield new Limit.LeakyBucket(
                        bucket.name(),
                        permits,
                        bucket.window(),
                        burst(burst, permits, bucket.window()),
                        bucket.even(),
                        bucket.warmUp());
            }
            case FIXED_WINDOW -> fixedWindow(limit, permits);
            case SLIDING_WINDOW_COUNTER -> {
                Limit.SlidingWindowCounter counter = (Limit.SlidingWindowCounter) limit;
                yield new Limit.SlidingWindowCounter(counter.name(), permits, counter.window(), counter.buckets());
            }
            case SLIDING_WINDOW_LOG -> new Limit.SlidingWindowLog(limit.name(), permits, limit.window());
            case CONCURRENCY -> new Limit.Concurrency(limit.name(), permits);
        };
    }

    /** No more than the longest window refills: of a limit that is no multiple the share is slower than its part. */
    private static long burst(long burst, long permits, Duration window) {
        return BigInteger.valueOf(Limit.MAX_WINDOW.toNanos())
                .multiply(BigInteger.valueOf(permits))
                .divide(BigInteger.valueOf(window.toNanos()))
                .min(BigInteger.valueOf(burst))
                .longValue();
    }

    private static Limit fixedWindow(Limit limit, long permits) {
        if (limit instanceof Limit.CalendarWindow calendar) {
            return new Limit.CalendarWindow(calendar.name(), permits, calendar.period(), calendar.zone());
        }
        Limit.FixedWindow window = (Limit.FixedWindow) limit;
        return new Limit.FixedWindow(window.name(), permits, window.window(), window.fromFirst());
    }

    private static long divided(long permits, int instances) {
        return Math.max(permits / instances, 1);
    }
}
