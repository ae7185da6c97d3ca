package dev.limiter.spring.response;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.spi.PermitArithmetic;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/*
 * According to the draft, clients may use the available permits within the effective window. They must not use
 * them faster than the policy refills them. So the window of a bucket is the time in which the available permits
 * are refilled:
 *
 *     available > 0:   t = available x window / limit
 *     available = 0:   t = the time to the next permit = resetAfter - (burst - reserve - 1) x window / limit
 *
 * Other limits are refilled when their window resets.
 */

/** Computes the time within which a client may use the available permits. */
final class EffectiveWindow {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private EffectiveWindow() {}

    /**
     * Returns the window in seconds, rounded up.
     *
     * @param available the available permits, 0 or more
     * @param asked the charge of the request; null if it is unknown
     * @param retryAfter the time until the limit permits a rejected request; empty if it is permitted, or never will be
     * @param resetAfter the time until the limit is unused again
     */
    static long seconds(
            Limit limit, long available, @Nullable Charge asked, Optional<Duration> retryAfter, Duration resetAfter) {
        if (retryAfter.isPresent()) {
            return FieldMembers.secondsRoundedUp(retryAfter.get());
        }
        Bucket bucket = Bucket.of(limit);
        if (bucket == null) {
            return FieldMembers.secondsRoundedUp(resetAfter);
        }
        return available > 0
                ? bucket.seconds(available)
                : bucket.secondsToNext(
                        resetAfter,
                        asked == null ? PermitArithmetic.atOnce(limit) : PermitArithmetic.atOnce(asked, limit));
    }

    /** The refill rate of a bucket. */
    private record Bucket(Limit limit, Duration warmUp) {

        static @Nullable Bucket of(Limit limit) {
            return switch (limit.algorithm()) {
                case TOKEN_BUCKET -> new Bucket(limit, ((Limit.TokenBucket) limit).warmUp());
                case LEAKY_BUCKET -> new Bucket(limit, ((Limit.LeakyBucket) limit).warmUp());
                case FIXED_WINDOW, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG, CONCURRENCY -> null;
            };
        }

        long seconds(long permits) {
            long nanos = limit.window().toNanos();
            long perWindow = limit.limit();
            boolean fits = permits <= Long.MAX_VALUE / nanos && perWindow <= Long.MAX_VALUE / NANOS_PER_SECOND;
            return fits ? ceilDiv(permits * nanos, perWindow * NANOS_PER_SECOND) : secondsOfMany(permits, nanos);
        }

        private static long ceilDiv(long dividend, long divisor) {
            return dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
        }

        private long secondsOfMany(long permits, long nanos) {
            BigInteger[] parts = BigInteger.valueOf(permits)
                    .multiply(BigInteger.valueOf(nanos))
                    .divideAndRemainder(
                            BigInteger.valueOf(limit.limit()).multiply(BigInteger.valueOf(NANOS_PER_SECOND)));
            return parts[0].longValueExact() + parts[1].signum();
        }

        /**
         * Returns the time to the next permit. A bucket with warm-up does not expose its temperature, so this assumes
         * the coldest. {@code atOnce}: the most permits that can be available.
         */
        long secondsToNext(Duration resetAfter, long atOnce) {
            // rounded up like resetAfter, so that a whole number of seconds remains one
            long others = intervals(Math.max(atOnce - 1, 0));
            long rest = Math.max(resetAfter.toNanos() - others, 1);
            if (!warmUp.isZero()) {
                rest = Math.max(rest - warmUp.toNanos(), Math.min(rest, intervals(3)));
            }
            return ceilDiv(rest, NANOS_PER_SECOND);
        }

        /** Returns the nanoseconds in which a number of permits is refilled, rounded up. */
        private long intervals(long permits) {
            long nanos = limit.window().toNanos();
            return permits <= Long.MAX_VALUE / nanos
                    ? ceilDiv(permits * nanos, limit.limit())
                    : BigInteger.valueOf(permits)
                            .multiply(BigInteger.valueOf(nanos))
                            .add(BigInteger.valueOf(limit.limit() - 1))
                            .divide(BigInteger.valueOf(limit.limit()))
                            .min(BigInteger.valueOf(Long.MAX_VALUE))
                            .longValueExact();
        }
    }
}
