package dev.limiter;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it in whole steps, also backwards. Thread-safe. */
public final class VirtualTime implements TimeSource {

    /**
     * The resolution of the tested storage in nanoseconds: if a limit is exact, a request is rejected one step earlier.
     * Larger than one for Redis.
     */
    public static final long STEP = Long.getLong("limiter.step", 1);

    /** A time at which no window starts. */
    public static final long START = floor(1_767_225_600_123_456_789L);

    private final AtomicLong now;
    private final AtomicLong readings = new AtomicLong();

    public VirtualTime() {
        this(START);
    }

    public VirtualTime(long now) {
        this.now = new AtomicLong(now);
    }

    @Override
    public long epochNanos() {
        // an endless loop reads the clock forever
        if (readings.incrementAndGet() > 1_000_000) {
            throw new AssertionError("The clock was read a million times without being moved");
        }
        return now.get();
    }

    /** Returns how often a test repeats a step; fewer times on a server than in memory. */
    public static int times(int inMemory) {
        return inMemory / Integer.getInteger("limiter.shorten", 1);
    }

    /** Returns the last whole step at or before {@code nanos}. */
    public static long floor(long nanos) {
        return Math.floorDiv(nanos, STEP) * STEP;
    }

    /** Returns the first whole step at or after {@code nanos}. */
    public static long ceil(long nanos) {
        return -floor(-nanos);
    }

    /** Returns a duration rounded up to whole steps. */
    public static Duration ceil(Duration duration) {
        return Duration.ofNanos(ceil(duration.toNanos()));
    }

    /** Returns a window of {@code nanos} nanoseconds, or of that many steps if it is not a whole number of steps. */
    public static Duration window(long nanos) {
        return Duration.ofNanos(nanos % STEP == 0 ? nanos : nanos * STEP);
    }

    /** Advances by a duration, rounded down to whole steps. */
    public void advance(Duration step) {
        advance(step.toNanos());
    }

    /** Advances by nanoseconds, rounded down to whole steps, and returns the new time. */
    public long advance(long nanos) {
        readings.set(0);
        return now.addAndGet(floor(nanos));
    }

    public void set(long nanos) {
        readings.set(0);
        now.set(floor(nanos));
    }

    public long now() {
        return now.get();
    }
}
