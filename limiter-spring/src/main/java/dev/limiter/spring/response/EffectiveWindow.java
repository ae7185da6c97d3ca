package dev.limiter.spring.response;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.spi.PermitArithmetic;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/*
 * The draft has clients use the available permits within the effective window. A client must not use them faster than
 * the policy refills them, so the window of a bucket is the time in which the available permits come:
 *
 *     available > 0:   t = available x window / limit
 *     available = 0:   t = the time to the next permit = resetAfter - (burst - reserve - 1) x window / limit
 *
 * Other limits get their permits back when their window resets.
 */

/** The time within which a client may use what is available of a limit. */
final class EffectiveWindow {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private EffectiveWindow() {}

    /**
     * The window in seconds, rounded up.
     *
     * @param available the permits that could be taken, 0 or more
     * @param asked the terms on which they could be; null if these are not known
     * @param retryAfter the time until the limit permits a rejected request; empty without a rejection, or if it never
     *     will
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

    /** How a bucket refills. */
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
         * At least what is left of a nanosecond. A bucket that warms up does not tell how cold it is: as cold as can
         * be. {@code atOnce}: how many there are at most.
         */
        long secondsToNext(Duration resetAfter, long atOnce) {
            // rounded up, as resetAfter is: a whole number of seconds remains one
            long others = intervals(Math.max(atOnce - 1, 0));
            long rest = Math.max(resetAfter.toNanos() - others, 1);
            if (!warmUp.isZero()) {
                rest = Math.max(rest - warmUp.toNanos(), Math.min(rest, intervals(3)));
            }
            return ceilDiv(rest, NANOS_PER_SECOND);
        }

        /** The nanoseconds in which so many permits come, rounded up. */
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
