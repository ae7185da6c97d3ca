package dev.limiter.redis;

import dev.limiter.Limit;
import java.math.BigInteger;
import java.time.Duration;

/** Computes the script arguments of each kind of limit. */
final class RemoteLimitCompiler {

    /** The alignments of windows, as numbered in {@code decide/fixed_window.lua}. */
    private static final int FROM_EPOCH = 1;

    private static final int FROM_FIRST = 2;
    private static final int BY_CALENDAR = 3;

    private static final long ANY_WAIT = 1L << RemoteLimit.BITS;

    /** The longest wait if permits cannot be taken for a later turn. */
    private static final long NO_TURNS = 0;

    private RemoteLimitCompiler() {}

    /**
     * Compiles a limit.
     *
     * @param holdMicros how long a permit of a concurrency limit is held unless renewed
     * @param aheadMicros how long a leased permit may stay unused. The window counts it for that much longer, so that
     *     no window has more used permits than the limit.
     * @throws IllegalArgumentException if a duration of the limit is not a whole number of microseconds
     */
    static RemoteLimit of(Limit limit, long holdMicros, long aheadMicros) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET -> tokenBucket((Limit.TokenBucket) limit, aheadMicros);
            case LEAKY_BUCKET -> leakyBucket((Limit.LeakyBucket) limit, aheadMicros);
            case FIXED_WINDOW -> fixedWindow(limit);
            case SLIDING_WINDOW_COUNTER -> counter((Limit.SlidingWindowCounter) limit, aheadMicros);
            case SLIDING_WINDOW_LOG -> log((Limit.SlidingWindowLog) limit, aheadMicros);
            case CONCURRENCY -> concurrency(limit, holdMicros);
        };
    }

    private static RemoteLimit tokenBucket(Limit.TokenBucket bucket, long aheadMicros) {
        return bucket.warmUp().isZero()
                ? bucket(bucket, bucket.burst(), false, aheadMicros)
                : warmUp(bucket, bucket.warmUp(), bucket.burst());
    }

    private static RemoteLimit leakyBucket(Limit.LeakyBucket bucket, long aheadMicros) {
        return bucket.warmUp().isZero()
                ? bucket(bucket, bucket.burst(), bucket.even(), aheadMicros)
                : warmUp(bucket, bucket.warmUp(), bucket.burst());
    }

    private static RemoteLimit fixedWindow(Limit limit) {
        if (limit instanceof Limit.CalendarWindow calendar) {
            return window(limit, BY_CALENDAR, 1, CalendarBounds.of(calendar));
        }
        Limit.FixedWindow window = (Limit.FixedWindow) limit;
        long length = micros(limit, "window", window.window());
        return window(limit, window.alignedToFirst() ? FROM_FIRST : FROM_EPOCH, length, CalendarBounds.NONE);
    }

    private static RemoteLimit concurrency(Limit limit, long holdMicros) {
        Arguments terms = new Arguments(16).number(limit.limit()).number(holdMicros);
        return plain(limit, LuaAlgorithm.CONCURRENCY, terms, new Arguments(0));
    }

    private static RemoteLimit plain(Limit limit, LuaAlgorithm algorithm, Arguments terms, Arguments returning) {
        return new RemoteLimit(limit, algorithm, terms, returning, CalendarBounds.NONE, NO_TURNS, 0);
    }

    private static RemoteLimit bucket(Limit limit, long burst, boolean paced, long aheadMicros) {
        Units units = Units.of(limit, aheadMicros, BigInteger.valueOf(burst));
        Arguments terms = new Arguments(40)
                .number(units.micro)
                .number(units.permit)
                .number(burst)
                .number(micros(limit, "window", limit.window()) + aheadMicros)
                .octet(paced ? 1 : 0);
        long full = paced ? units.permit : units.permit * burst;
        Arguments returning =
                new Arguments(24).number(units.micro).number(units.permit).number(full);
        // for a paced bucket, the turns of all requests that may wait
        long turns = paced ? units.permit * burst : ANY_WAIT;
        return new RemoteLimit(
                limit,
                LuaAlgorithm.BUCKET,
                terms,
                returning,
                CalendarBounds.NONE,
                -Math.floorDiv(-Math.min(turns, ANY_WAIT), units.micro),
                units.permit);
    }

    private static RemoteLimit warmUp(Limit limit, Duration warmUp, long burst) {
        BigInteger most = BigInteger.valueOf(3 * Math.min(burst, Limit.MAX_PERMITS / 3));
        long rest = micros(limit, "warmUp", warmUp);
        Units units = Units.of(limit, 0, most);
        // intervals are rounded up to a unit, so smaller units make them as exact as in memory
        if (units.permit * most.longValueExact() < ANY_WAIT / 1000 && rest * units.micro < ANY_WAIT / 1000) {
            units = units.thousandth();
        }
        Arguments terms = new Arguments(40)
                .number(units.micro)
                .number(units.permit)
                .number(burst)
                .number(micros(limit, "window", limit.window()))
                .number(rest * units.micro);
        return new RemoteLimit(
                limit, LuaAlgorithm.WARM_UP, terms, new Arguments(0), CalendarBounds.NONE, ANY_WAIT / units.micro, 0);
    }

    private static RemoteLimit window(Limit limit, int align, long length, CalendarBounds bounds) {
        Arguments terms = new Arguments(24).number(limit.limit()).octet(align).number(length);
        // the length of a calendar window depends on the window
        Arguments returning = align == BY_CALENDAR ? new Arguments(0) : new Arguments(8).number(length);
        long longestWait = switch (align) {
            case FROM_FIRST -> NO_TURNS;
            case FROM_EPOCH -> length; // turns of the next window
            default -> ANY_WAIT;
        };
        return new RemoteLimit(limit, LuaAlgorithm.FIXED_WINDOW, terms, returning, bounds, longestWait, 0);
    }

    private static RemoteLimit log(Limit.SlidingWindowLog limit, long aheadMicros) {
        long length = micros(limit, "window", limit.window()) + aheadMicros;
        Arguments terms = new Arguments(16).number(limit.limit()).number(length);
        return plain(limit, LuaAlgorithm.SLIDING_WINDOW_LOG, terms, new Arguments(8).number(length));
    }

    /** Counts time in ticks, such that both a microsecond and a sub-window are a whole number of ticks. */
    private static RemoteLimit counter(Limit.SlidingWindowCounter limit, long aheadMicros) {
        long window = micros(limit, "window", limit.window()) + aheadMicros;
        int buckets = limit.buckets();
        if (window < buckets) {
            throw new IllegalArgumentException("window is " + limit.window() + " in " + buckets
                    + " buckets, but with Redis a bucket must be at least a microsecond");
        }
        long common =
                BigInteger.valueOf(window).gcd(BigInteger.valueOf(buckets)).longValueExact();
        boolean fits = window <= (1L << RemoteLimit.BITS) / (buckets / common);
        long micro = fits ? buckets / common : 1;
        long size = fits ? window / common : -Math.floorDiv(-window, buckets);
        Arguments terms = new Arguments(40)
                .number(limit.limit())
                .number(window)
                .number(buckets)
                .number(micro)
                .number(size);
        Arguments returning = new Arguments(16).number(window).number(buckets);
        return plain(limit, LuaAlgorithm.SLIDING_WINDOW_COUNTER, terms, returning);
    }

    private static long micros(Limit limit, String what, Duration duration) {
        if (duration.toNanosPart() % 1000 != 0) {
            throw new IllegalArgumentException(what + " is " + duration + " for " + limit.algorithm()
                    + ", but with Redis it must be a whole number of microseconds");
        }
        return duration.toNanos() / 1000;
    }

    /**
     * With window / limit reduced to the fraction w / l, a microsecond is l units and a permit is w units, so nothing
     * is rounded. If the highest level does not fit, l is shifted right and w rounded up.
     */
    private record Units(long micro, long permit) {

        Units thousandth() {
            return new Units(micro * 1000, permit * 1000);
        }

        static Units of(Limit limit, long aheadMicros, BigInteger mostPermits) {
            BigInteger window = BigInteger.valueOf(micros(limit, "window", limit.window()) + aheadMicros);
            BigInteger permits = BigInteger.valueOf(limit.limit());
            BigInteger divisor = window.gcd(permits);
            BigInteger exact = permits.divide(divisor);
            BigInteger permit = window.divide(divisor);
            int excess = permit.multiply(mostPermits).bitLength() - RemoteLimit.BITS;
            if (excess <= 0) {
                return new Units(exact.longValueExact(), permit.longValueExact());
            }
            BigInteger micro = exact.shiftRight(excess).max(BigInteger.ONE);
            BigInteger rounded =
                    permit.multiply(micro).add(exact.subtract(BigInteger.ONE)).divide(exact);
            return new Units(micro.longValueExact(), rounded.longValueExact());
        }
    }
}
