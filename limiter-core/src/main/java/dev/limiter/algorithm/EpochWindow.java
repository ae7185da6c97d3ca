package dev.limiter.algorithm;

import dev.limiter.Limit;

/** Windows of equal length, counted from the epoch. */
final class EpochWindow extends FixedWindow {

    private final long nanos;
    private final long origin;
    private final long reciprocal;
    private final int shift;

    EpochWindow(Limit.FixedWindow limit, long now) {
        super(limit, limit.window().toNanos(), now);
        this.nanos = limit.window().toNanos();
        this.origin = now - Math.floorMod(now, nanos);
        this.reciprocal = Divisor.reciprocal(nanos);
        this.shift = Divisor.shift(nanos);
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
