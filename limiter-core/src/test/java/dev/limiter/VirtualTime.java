package dev.limiter;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it, also backwards, in whole steps. Thread-safe. */
public final class VirtualTime implements TimeSource {

    /**
     * The shortest time that the storage under test tells apart, in nanoseconds: where a limit is exact, one step earlier
     * is rejected. More than one where that storage is not memory, but Redis.
     */
    public static final long STEP = Long.getLong("limiter.step", 1);

    /** A moment that no window starts at. */
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
        // a loop that cannot end reads the clock forever
        if (readings.incrementAndGet() > 1_000_000) {
            throw new AssertionError("The clock was read a million times without being moved");
        }
        return now.get();
    }

    /** How often a test repeats something that it has to ask a server for each time: fewer times than it would memory. */
    public static int times(int inMemory) {
        return inMemory / Integer.getInteger("limiter.shorten", 1);
    }

    /** The last whole step until then. */
    public static long floor(long nanos) {
        return Math.floorDiv(nanos, STEP) * STEP;
    }

    /** An exact answer of a limit in steps of the storage: the first whole step from then on. */
    public static long ceil(long nanos) {
        return -floor(-nanos);
    }

    /** {@link #ceil(long)} of a duration. */
    public static Duration ceil(Duration duration) {
        return Duration.ofNanos(ceil(duration.toNanos()));
    }

    /** A window of so many nanoseconds or, if that is no whole number of steps, of so many steps. */
    public static Duration window(long nanos) {
        return Duration.ofNanos(nanos % STEP == 0 ? nanos : nanos * STEP);
    }

    /** By the whole steps of it. */
    public void advance(Duration step) {
        advance(step.toNanos());
    }

    /** By the whole steps of it. Returns the new time. */
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
