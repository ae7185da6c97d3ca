package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Limit;
import dev.limiter.RateLimiterStrategy;

/** {@link Algorithm#TOKEN_BUCKET}: {@code burst} tokens, refilled continuously with {@code limit} per window. */
public final class TokenBucketStrategy implements RateLimiterStrategy {

    @Override
    public Algorithm algorithm() {
        return Algorithm.TOKEN_BUCKET;
    }

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        if (limit instanceof Limit.TokenBucket bucket) {
            return bucket.warmUp().isZero()
                    ? new GcraBucket(bucket, bucket.burst(), false, now)
                    : new WarmUpBucket(bucket, bucket.warmUp(), now);
        }
        throw new IllegalArgumentException(limit + " is no token bucket");
    }
}
