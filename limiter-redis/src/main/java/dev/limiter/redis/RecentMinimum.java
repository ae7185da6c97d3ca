package dev.limiter.redis;

import java.util.concurrent.TimeUnit;

/**
 * The smallest time measured in the last half minute, as BBR estimates the round trip. An average would include queues
 * and late readers, which lengthen most measurements. Thread-safe; a race may lose a measurement, which is harmless.
 */
final class RecentMinimum {

    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Returned while nothing has been measured. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    /** The minimum of this period and of the previous one. */
    private volatile long least = UNKNOWN;

    private volatile long leastBefore = UNKNOWN;

    private volatile long begun;

    /** Creates an instance; {@code now} is a clock reading in nanoseconds. */
    public RecentMinimum(long now) {
        this.begun = now;
    }

    /** Adds a measurement in nanoseconds, which may be negative. */
    public void measured(long nanos, long now) {
        if (now - begun > PERIOD_NANOS) {
            begun = now;
            leastBefore = least;
            least = nanos;
        } else if (nanos < least) {
            least = nanos;
        }
    }

    /** Returns the minimum in nanoseconds, or {@link #UNKNOWN}. */
    public long nanos() {
        return Math.min(least, leastBefore);
    }
}
