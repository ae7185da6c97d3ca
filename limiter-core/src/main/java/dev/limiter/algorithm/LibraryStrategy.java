package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.spi.CompiledLimit;

/** The built-in strategy for an algorithm. */
public record LibraryStrategy(Algorithm algorithm) implements RateLimiterStrategy {

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        if (limit.algorithm() != algorithm) {
            throw new IllegalArgumentException(limit + " is not a limit of algorithm " + algorithm);
        }
        if (limit instanceof Limit.TokenBucket bucket) {
            return bucket.warmUp().isZero()
                    ? new TokenBucket(bucket, now)
                    : new WarmUpBucket(bucket, bucket.warmUp(), now);
        }
        if (limit instanceof Limit.LeakyBucket bucket) {
            return bucket.warmUp().isZero()
                    ? new LeakyBucket(bucket, now)
                    : new WarmUpBucket(bucket, bucket.warmUp(), now);
        }
        if (limit instanceof Limit.FixedWindow window) {
            return window.alignedToFirst() ? new FirstRequestWindow(window) : new EpochWindow(window, now);
        }
        if (limit instanceof Limit.CalendarWindow window) {
            return new CalendarWindow(window, now);
        }
        if (limit instanceof Limit.SlidingWindowCounter counter) {
            return new SlidingWindowCounter(counter, now);
        }
        if (limit instanceof Limit.SlidingWindowLog log) {
            return new SlidingWindowLog(log);
        }
        return new Concurrency((Limit.Concurrency) limit);
    }
}
