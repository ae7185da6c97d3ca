package dev.limiter.spring.check;

import dev.limiter.Limit;
import java.math.BigInteger;
import java.time.Duration;

/**
 * Tells whether a limit can never refuse a request that another one permits, if both count the same. Says so only where
 * it is certain.
 *
 * <p>Over any time {@code t}, a limit permits at most {@code burst + rate * t}. Another limit with room for that much
 * at any time never refuses: a bucket with at least that burst and rate, or a window of at least as many permits as
 * come in its length.
 */
final class ImpliedLimits {

    private ImpliedLimits() {}

    /** Whether {@code loose} permits each request that {@code tight} permits. */
    static boolean implies(Limit tight, Limit loose) {
        // when it has its burst depends on more than on what was permitted
        if (tight.isSpaced() || loose.isSpaced()) {
            return false;
        }
        if (isSameButForLimit(tight, loose)) {
            return tight.limit() <= loose.limit() && tight.capacity() <= loose.capacity();
        }
        if (!hasFixedLength(tight) || !hasFixedLength(loose)) {
            return false;
        }
        if (isBucket(loose)) {
            return burst(tight).compareTo(BigInteger.valueOf(loose.capacity())) <= 0
                    && permits(tight, loose.window())
                                    .compareTo(BigInteger.valueOf(loose.limit()).multiply(nanos(tight.window())))
                            <= 0;
        }
        BigInteger room = BigInteger.valueOf(loose.limit()).subtract(burst(tight));
        return permits(tight, counted(loose)).compareTo(room.multiply(nanos(tight.window()))) <= 0;
    }

    private static boolean isBucket(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> true;
            case FIXED_WINDOW, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG, CONCURRENCY -> false;
        };
    }

    private static boolean isSameButForLimit(Limit one, Limit other) {
        return one.getClass() == other.getClass()
                && one.window().equals(other.window())
                && switch (one.algorithm()) {
                    case FIXED_WINDOW -> haveSameWindows(one, other);
                    case SLIDING_WINDOW_COUNTER ->
                        ((Limit.SlidingWindowCounter) one).buckets() == ((Limit.SlidingWindowCounter) other).buckets();
                    case TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW_LOG, CONCURRENCY -> true;
                };
    }

    /** Of two limits of the same class. */
    private static boolean haveSameWindows(Limit one, Limit other) {
        if (one instanceof Limit.CalendarWindow calendar) {
            Limit.CalendarWindow otherCalendar = (Limit.CalendarWindow) other;
            return calendar.period().equals(otherCalendar.period())
                    && calendar.zone().equals(otherCalendar.zone());
        }
        return ((Limit.FixedWindow) one).fromFirst() == ((Limit.FixedWindow) other).fromFirst();
    }

    private static boolean hasFixedLength(Limit limit) {
        return switch (limit.algorithm()) {
            case FIXED_WINDOW -> !(limit instanceof Limit.CalendarWindow);
            case TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG -> true;
            case CONCURRENCY -> false;
        };
    }

    /** The most that it permits at once, with what a window before may have permitted just before its end. */
    private static BigInteger burst(Limit limit) {
        int windows = switch (limit.algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW_LOG -> 1;
            case FIXED_WINDOW, SLIDING_WINDOW_COUNTER, CONCURRENCY -> 2;
        };
        return BigInteger.valueOf(limit.capacity()).multiply(BigInteger.valueOf(windows));
    }

    /** The permits of its rate in that time, times its own window. */
    private static BigInteger permits(Limit limit, Duration time) {
        return BigInteger.valueOf(limit.limit()).multiply(nanos(time));
    }

    /** The time that is counted, together with the oldest sub-window, of which a part is too much. */
    private static Duration counted(Limit limit) {
        return switch (limit.algorithm()) {
            case SLIDING_WINDOW_COUNTER -> {
                int buckets = ((Limit.SlidingWindowCounter) limit).buckets();
                yield limit.window().plus(limit.window().dividedBy(buckets)).plusNanos(1);
            }
            case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, SLIDING_WINDOW_LOG, CONCURRENCY -> limit.window();
        };
    }

    private static BigInteger nanos(Duration duration) {
        return BigInteger.valueOf(duration.toNanos());
    }
}
