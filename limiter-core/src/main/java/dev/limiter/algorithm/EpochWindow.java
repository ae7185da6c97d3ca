package dev.limiter.algorithm;

import dev.limiter.Limit;

/**
 * Windows of equal length, counted from the epoch. If window numbers would run out within four seconds (a limit of
 * 10<sup>15</sup> per millisecond), several windows are merged into one. So at most 2<sup>28</sup> permits per
 * nanosecond are granted.
 */
final class EpochWindow extends FixedWindow {

    private static final long SHORTEST_REACH = 1L << 32;

    private final long nanos;
    private final long origin;
    private final long reciprocal;
    private final int shift;

    EpochWindow(Limit.FixedWindow limit, long now) {
        this(limit, nanos(limit), now);
    }

    private EpochWindow(Limit limit, long nanos, long now) {
        super(limit, nanos, now);
        this.nanos = nanos;
        this.origin = now - Math.floorMod(now, nanos);
        this.reciprocal = Divisor.reciprocal(nanos);
        this.shift = Divisor.shift(nanos);
    }

    private static long nanos(Limit limit) {
        long window = limit.window().toNanos();
        long shortest = Exact.ceilDiv(SHORTEST_REACH, count(limit.limit()));
        return window * Math.max(Exact.ceilDiv(shortest, window), 1);
    }

    @Override
    long number(long now) {
        long passed = now - origin;
        return passed >= 0
                ? Divisor.floor(passed, nanos, reciprocal, shift)
                : -Divisor.floor(-passed + nanos - 1, nanos, reciprocal, shift);
    }

    @Override
    long start(long number) {
        return origin + number * nanos;
    }

    @Override
    boolean sameWindows(FixedWindow other) {
        return other instanceof EpochWindow that && that.nanos == nanos;
    }
}
