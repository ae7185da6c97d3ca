package dev.limiter.test;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that moves only when the test advances it. Thread-safe.
 *
 * <pre>{@code
 * VirtualTimeSource time = new VirtualTimeSource();
 * RateLimiters limiters = RateLimiters.builder().timeSource(time).build();
 * time.advance(Duration.ofSeconds(36));
 * }</pre>
 *
 * <p>In Spring tests, {@link WithVirtualTime} adds one to the application.
 */
public final class VirtualTimeSource implements TimeSource {

    /** The initial time: the start of a week, month and year in UTC, so that fixed windows also start there. */
    public static final Instant START = Instant.parse("2029-01-01T00:00:00Z");

    private final AtomicLong epochNanos = new AtomicLong();

    /** Creates a clock at {@link #START}. */
    public VirtualTimeSource() {
        startOver();
    }

    @Override
    public long epochNanos() {
        return epochNanos.get();
    }

    /** Returns the current time as an instant. */
    public Instant now() {
        return Instant.EPOCH.plusNanos(epochNanos());
    }

    /**
     * Advances the clock.
     *
     * @param duration zero or more
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("The duration must not be negative, but is " + duration);
        }
        epochNanos.addAndGet(duration.toNanos());
    }

    /**
     * Advances the clock to a moment.
     *
     * @param moment now or later
     */
    public void advanceTo(Instant moment) {
        advance(Duration.between(now(), moment));
    }

    /** Moves back to {@link #START}. Requires a fresh storage. */
    void startOver() {
        epochNanos.set(TimeUnit.SECONDS.toNanos(START.getEpochSecond()));
    }

    @Override
    public String toString() {
        return "VirtualTimeSource[" + now() + "]";
    }
}
