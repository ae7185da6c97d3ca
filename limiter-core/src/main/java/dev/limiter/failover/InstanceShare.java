package dev.limiter.failover;

import dev.limiter.Limit;
import dev.limiter.Rule;

/** What one of several instances may permit by itself of a limit that is for all of them. */
final class InstanceShare {

    private InstanceShare() {}

    /** The rule with each limit divided by the number of instances, and at least 1. */
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
        if (limit instanceof Limit.TokenBucket bucket) {
            long burst = divided(bucket.burst(), instances);
            return new Limit.TokenBucket(bucket.name(), share, bucket.window(), burst, bucket.warmUp());
        }
        if (limit instanceof Limit.LeakyBucket bucket) {
            long burst = divided(bucket.burst(), instances);
            return new Limit.LeakyBucket(bucket.name(), share, bucket.window(), burst, bucket.even(), bucket.warmUp());
        }
        if (limit instanceof Limit.FixedWindow window) {
            return new Limit.FixedWindow(window.name(), share, window.window(), window.fromFirst());
        }
        if (limit instanceof Limit.CalendarWindow calendar) {
            return new Limit.CalendarWindow(calendar.name(), share, calendar.period(), calendar.zone());
        }
        if (limit instanceof Limit.SlidingWindowCounter counter) {
            return new Limit.SlidingWindowCounter(counter.name(), share, counter.window(), counter.buckets());
        }
        if (limit instanceof Limit.SlidingWindowLog log) {
            return new Limit.SlidingWindowLog(log.name(), share, log.window());
        }
        return new Limit.Concurrency(limit.name(), share);
    }

    private static long divided(long permits, int instances) {
        return Math.max(permits / instances, 1);
    }
}
