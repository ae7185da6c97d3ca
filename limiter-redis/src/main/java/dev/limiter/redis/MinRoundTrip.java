package dev.limiter.redis;

import java.util.concurrent.TimeUnit;

/**
 * How long an answer takes that waits for nothing: the least of the last half a minute, as BBR estimates the round
 * trip. A queue lengthens most answers, and gathering is what shortens it again; an average would turn gathering off
 * just then. Thread-safe; races lose a measurement, which does not matter.
 */
final class MinRoundTrip {

    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** While there was no answer yet. */
    static final long UNKNOWN = Long.MAX_VALUE;

    /** The least of this period and of the last one. */
    private volatile long least = UNKNOWN;

    private volatile long leastBefore = UNKNOWN;

    private volatile long begun;

    /** {@code now}: as {@link System#nanoTime()}, also below. */
    MinRoundTrip(long now) {
        this.begun = now;
    }

    void took(long nanos, long now) {
        if (now - begun > PERIOD_NANOS) {
            begun = now;
            leastBefore = least;
            least = nanos;
        } else if (nanos < least) {
            least = nanos;
        }
    }

    /** Or {@link #UNKNOWN}. */
    long nanos() {
        return Math.min(least, leastBefore);
    }
}
