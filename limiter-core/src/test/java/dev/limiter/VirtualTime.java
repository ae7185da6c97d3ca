package dev.limiter;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it, also backwards. Thread-safe. */
public final class VirtualTime implements TimeSource {

    /** A moment that no window starts at. */
    public static final long START = 1_767_225_600_123_456_789L;

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

    public void advance(Duration step) {
        advance(step.toNanos());
    }

    /** Returns the new time. */
    public long advance(long nanos) {
        readings.set(0);
        return now.addAndGet(nanos);
    }

    public void set(long nanos) {
        readings.set(0);
        now.set(nanos);
    }

    public long now() {
        return now.get();
    }
}
