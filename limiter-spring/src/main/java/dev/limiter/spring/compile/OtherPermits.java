package dev.limiter.spring.compile;

import dev.limiter.Limit;
import java.math.BigInteger;
import java.time.Duration;

/** Copies limits with another number of permits, for keys that have their own. */
final class OtherPermits {

    private OtherPermits() {}

    /**
     * Returns the same limit with another number of permits. Drops its burst, which belongs to the rule's own number.
     *
     * @param maxWait the longest wait of a request; zero if requests do not wait
     * @throws dev.limiter.spi.OutOfRangeException if the number is not a valid limit
     */
    public static Limit of(Limit limit, long permits, Duration maxWait) {
        Duration window = limit.window();
        Limit other = switch (limit.algorithm()) {
            case TOKEN_BUCKET -> Limit.tokenBucket(permits, window).warmUp(((Limit.TokenBucket) limit).warmUp());
            case LEAKY_BUCKET -> leakyBucket((Limit.LeakyBucket) limit, permits, maxWait);
            case FIXED_WINDOW -> fixedWindow(limit, permits);
            case SLIDING_WINDOW_COUNTER ->
                Limit.slidingWindowCounter(permits, window).buckets(((Limit.SlidingWindowCounter) limit).buckets());
            case SLIDING_WINDOW_LOG -> Limit.slidingWindowLog(permits, window);
            case CONCURRENCY -> Limit.concurrency(permits);
        };
        return limit.name().isEmpty() ? other : other.named(limit.name());
    }

    private static Limit leakyBucket(Limit.LeakyBucket limit, long permits, Duration maxWait) {
        Limit.LeakyBucket other = Limit.leakyBucket(permits, limit.window());
        return limit.even() ? queue(other, maxWait).paced().warmUp(limit.warmUp()) : other;
    }

    private static Limit fixedWindow(Limit limit, long permits) {
        if (limit instanceof Limit.CalendarWindow calendar) {
            return Limit.calendarWindow(permits, calendar.period(), calendar.zone());
        }
        Limit.FixedWindow other = Limit.fixedWindow(permits, limit.window());
        return ((Limit.FixedWindow) limit).alignedToFirst() ? other.alignFirst() : other;
    }

    /**
     * Returns the bucket with a queue for all requests that can be served within {@code maxWait}, and at least its
     * limit.
     */
    public static Limit.LeakyBucket queue(Limit.LeakyBucket bucket, Duration maxWait) {
        BigInteger served = BigInteger.valueOf(maxWait.toNanos())
                .multiply(BigInteger.valueOf(bucket.limit()))
                .divide(BigInteger.valueOf(bucket.window().toNanos()))
                .add(BigInteger.ONE);
        long most = served.min(BigInteger.valueOf(Limit.MAX_PERMITS)).longValueExact();
        return bucket.burst(Math.max(bucket.limit(), most));
    }
}
