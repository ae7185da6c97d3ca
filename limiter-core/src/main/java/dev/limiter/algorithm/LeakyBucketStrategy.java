package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Limit;
import dev.limiter.RateLimiterStrategy;

/**
 * {@link Algorithm#LEAKY_BUCKET} as a meter: requests fill a bucket of {@code burst} that leaks {@code limit} per
 * window, and what would overflow it is refused. It is the token bucket seen from the other side (what is missing there
 * is what is in here), so both are one {@link GcraBucket}.
 */
public final class LeakyBucketStrategy implements RateLimiterStrategy {

    @Override
    public Algorithm algorithm() {
        return Algorithm.LEAKY_BUCKET;
    }

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        if (limit instanceof Limit.LeakyBucket bucket) {
            return bucket.warmUp().isZero()
                    ? new GcraBucket(bucket, bucket.burst(), bucket.even(), now)
                    : new WarmUpBucket(bucket, bucket.warmUp(), now);
        }
        throw new IllegalArgumentException(limit + " is no leaky bucket");
    }
}
