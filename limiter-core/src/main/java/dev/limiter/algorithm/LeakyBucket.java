package dev.limiter.algorithm;

import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;

/*
 * Requests fill a bucket of "burst" that leaks "limit" per window; a request that would overflow it is rejected. The
 * level of a leaky bucket equals the tokens missing from a token bucket, so the arithmetic is the same.
 *
 * A paced bucket permits a request only when it is empty, and its size limits how many requests may wait:
 *
 *     permitted  <=>  level = 0,    turn = theoreticalArrivalTime (before the request)
 */
final class LeakyBucket extends TokenBucket {

    private final boolean paced;

    LeakyBucket(Limit.LeakyBucket limit, long now) {
        super(limit, limit.burst(), limit.even(), now);
        this.paced = limit.even();
    }

    @Override
    public long atOnce() {
        return paced ? 1 : super.atOnce();
    }

    @Override
    public long admissionNanos(long value, long now, long permits, long maxWait) {
        long inTime = super.admissionNanos(value, now, permits, maxWait);
        return inTime >= CompiledLimit.UNKNOWN || !paced ? inTime : Math.max(inTime, queueNanos(value, now, permits));
    }
}
