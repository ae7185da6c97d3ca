package dev.limiter.failover;

import dev.limiter.Limit;
import dev.limiter.Rule;
import java.math.BigInteger;
import java.time.Duration;

/** Computes the part of a limit that one of several instances may permit by itself. */
final class InstanceShare {

    private InstanceShare() {}

    /** Returns the rule with each limit divided by the number of instances, but at least 1. */
    static Rule of(Rule rule, int instances) {
        return instances == 1
                ? rule
                : Rule.of(
                        rule.name(),
                        rule.limits().stream()
                                .map(limit -> of(limit, instances))
                                .toList());
    }

    private static Limit of(Limit limit, int instances) {
        long share = divided(limit.limit(), instances);
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET -> tokenBucket((Limit.TokenBucket) limit, share, instances);
            case LEAKY_BUCKET -> leakyBucket((Limit.LeakyBucket) limit, share, instances);
            case FIXED_WINDOW -> fixedWindow(limit, share);
            case SLIDING_WINDOW_COUNTER -> {
                Limit.SlidingWindowCounter counter = (Limit.SlidingWindowCounter) limit;
                yield new Limit.SlidingWindowCounter(counter.name(), share, counter.window(), counter.buckets());
            }
            case SLIDING_WINDOW_LOG -> new Limit.SlidingWindowLog(limit.name(), share, limit.window());
            case CONCURRENCY -> new Limit.Concurrency(limit.name(), share);
        };
    }

    private static Limit tokenBucket(Limit.TokenBucket bucket, long share, int instances) {
        long burst = burst(divided(bucket.burst(), instances), share, bucket.window());
        return new Limit.TokenBucket(bucket.name(), share, bucket.window(), burst, bucket.warmUp());
    }

    private static Limit leakyBucket(Limit.LeakyBucket bucket, long share, int instances) {
        long burst = burst(divided(bucket.burst(), instances), share, bucket.window());
        return new Limit.LeakyBucket(bucket.name(), share, bucket.window(), burst, bucket.even(), bucket.warmUp());
    }

    /**
     * Returns a burst that refills within the longest window: due to rounding, the share may refill more slowly than
     * the limit.
     */
    private static long burst(long part, long share, Duration window) {
        return BigInteger.valueOf(Limit.MAX_WINDOW.toNanos())
                .multiply(BigInteger.valueOf(share))
                .divide(BigInteger.valueOf(window.toNanos()))
                .min(BigInteger.valueOf(part))
                .longValue();
    }

    private static Limit fixedWindow(Limit limit, long share) {
        if (limit instanceof Limit.CalendarWindow calendar) {
            return new Limit.CalendarWindow(calendar.name(), share, calendar.period(), calendar.zone());
        }
        Limit.FixedWindow window = (Limit.FixedWindow) limit;
        return new Limit.FixedWindow(window.name(), share, window.window(), window.alignedToFirst());
    }

    private static long divided(long permits, int instances) {
        return Math.max(permits / instances, 1);
    }
}
