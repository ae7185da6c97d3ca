package dev.limiter.test;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until the test moves it, so that no window ends and no bucket refills by itself.
 * Thread-safe; never steps back.
 *
 * <pre>{@code
 * VirtualTimeSource time = new VirtualTimeSource();
 * RateLimiters limiters = RateLimiters.builder().timeSource(time).build();
 * time.advance(Duration.ofSeconds(36));
 * }</pre>
 *
 * <p>In a Spring test, {@link WithVirtualTime} puts one into the application.
 */
public final class VirtualTimeSource implements TimeSource {

    /** A Monday with which a month and a year begin, in UTC: fixed windows begin then, too. */
    public static final Instant START = Instant.parse("2029-01-01T00:00:00Z");

    private final AtomicLong epochNanos = new AtomicLong();

    /** Stands at {@link #START}. */
    public VirtualTimeSource() {
        startOver();
    }

    @Override
    public long epochNanos() {
        return epochNanos.get();
    }

    /** The time of {@link #epochNanos()} as an instant. */
    public Instant now() {
        return Instant.EPOCH.plusNanos(epochNanos());
    }

    /**
     * Moves on.
     *
     * @param duration zero or more
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("Time does not go back, but the duration is " + duration);
        }
        epochNanos.addAndGet(duration.toNanos());
    }

    /**
     * Moves on to a moment.
     *
     * @param moment now or later
     */
    public void advanceTo(Instant moment) {
        advance(Duration.between(now(), moment));
    }

    /** Back to {@link #START}; only together with a storage that has forgotten everything. */
    void startOver() {
        epochNanos.set(TimeUnit.SECONDS.toNanos(START.getEpochSecond()));
    }

    @Override
    public String toString() {
        return "VirtualTimeSource[" + now() + "]";
    }
}
