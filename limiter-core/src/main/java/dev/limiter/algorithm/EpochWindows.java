package dev.limiter.algorithm;

/** Windows of equal length, counted from the epoch; numbered from the one that is current when they are made. */
final class EpochWindows implements Windows {

    private final long nanos;
    private final long origin;
    private final Divisor perWindow;

    EpochWindows(long nanos, long now) {
        this.nanos = nanos;
        this.origin = now - Math.floorMod(now, nanos);
        this.perWindow = new Divisor(nanos);
    }

    @Override
    public long number(long now) {
        return perWindow.floorSigned(now - origin);
    }

    @Override
    public long start(long number) {
        return origin + number * nanos;
    }

    @Override
    public long shortest() {
        return nanos;
    }

    @Override
    public boolean sameAs(Windows other) {
        return other instanceof EpochWindows that && that.nanos == nanos;
    }
}
