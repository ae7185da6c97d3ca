package dev.limiter.redis;

import java.util.concurrent.TimeUnit;

/**
 * The least of the times measured in the last half a minute, as BBR estimates the round trip: a queue, or a late
 * reader, lengthens most of them, and an average would take that for the line. Thread-safe; races lose a measurement,
 * which does not matter.
 */
final class RecentMinimum {

    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** While nothing was measured yet. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    /** The least of this period and of the last one. */
    private volatile long least = UNKNOWN;

    private volatile long leastBefore = UNKNOWN;

    private volatile long begun;

    /** {@code now}: of a clock in nanoseconds, also below. */
    public RecentMinimum(long now) {
        this.begun = now;
    }

    /** Adds a measurement, in nanoseconds of any sign. */
    public void measured(long nanos, long now) {
        if (now - begun > PERIOD_NANOS) {
            begun = now;
            leastBefore = least;
            least = nanos;
        } else if (nanos < least) {
            least = nanos;
        }
    }

    /** The least, in nanoseconds, or {@link #UNKNOWN}. */
    public long nanos() {
        return Math.min(least, leastBefore);
    }
}
