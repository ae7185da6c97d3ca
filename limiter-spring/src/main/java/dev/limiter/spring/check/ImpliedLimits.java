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
        if (isShaped(tight) || isShaped(loose)) {
            return false;
        }
        if (isSameButForLimit(tight, loose)) {
            return tight.limit() <= loose.limit() && tight.capacity() <= loose.capacity();
        }
        if (!hasFixedLength(tight) || !hasFixedLength(loose)) {
            return false;
        }
        if (loose instanceof Limit.TokenBucket || loose instanceof Limit.LeakyBucket) {
            return burst(tight).compareTo(BigInteger.valueOf(loose.capacity())) <= 0
                    && permits(tight, loose.window())
                                    .compareTo(BigInteger.valueOf(loose.limit()).multiply(nanos(tight.window())))
                            <= 0;
        }
        BigInteger room = BigInteger.valueOf(loose.limit()).subtract(burst(tight));
        return permits(tight, counted(loose)).compareTo(room.multiply(nanos(tight.window()))) <= 0;
    }

    /** Whether it does not have its whole burst at once: when it has, depends on more than what was permitted. */
    private static boolean isShaped(Limit limit) {
        return limit instanceof Limit.TokenBucket token && !token.warmUp().isZero()
                || limit instanceof Limit.LeakyBucket leaky && leaky.even();
    }

    private static boolean isSameButForLimit(Limit one, Limit other) {
        if (one.getClass() != other.getClass() || !one.window().equals(other.window())) {
            return false;
        }
        if (one instanceof Limit.FixedWindow fixed) {
            return fixed.fromFirst() == ((Limit.FixedWindow) other).fromFirst();
        }
        if (one instanceof Limit.CalendarWindow calendar) {
            Limit.CalendarWindow otherCalendar = (Limit.CalendarWindow) other;
            return calendar.period().equals(otherCalendar.period())
                    && calendar.zone().equals(otherCalendar.zone());
        }
        return !(one instanceof Limit.SlidingWindowCounter counter)
                || counter.buckets() == ((Limit.SlidingWindowCounter) other).buckets();
    }

    private static boolean hasFixedLength(Limit limit) {
        return !(limit instanceof Limit.Concurrency) && !(limit instanceof Limit.CalendarWindow);
    }

    /** The most that it permits at once, with what a window before may have permitted just before its end. */
    private static BigInteger burst(Limit limit) {
        boolean exact = limit instanceof Limit.TokenBucket
                || limit instanceof Limit.LeakyBucket
                || limit instanceof Limit.SlidingWindowLog;
        return BigInteger.valueOf(limit.capacity()).multiply(exact ? BigInteger.ONE : BigInteger.TWO);
    }

    /** The permits of its rate in that time, times its own window. */
    private static BigInteger permits(Limit limit, Duration time) {
        return BigInteger.valueOf(limit.limit()).multiply(nanos(time));
    }

    /** The time that is counted, together with the oldest sub-window, of which a part is too much. */
    private static Duration counted(Limit limit) {
        return limit instanceof Limit.SlidingWindowCounter counter
                ? limit.window()
                        .plus(limit.window().dividedBy(counter.buckets()))
                        .plusNanos(1)
                : limit.window();
    }

    private static BigInteger nanos(Duration duration) {
        return BigInteger.valueOf(duration.toNanos());
    }
}
