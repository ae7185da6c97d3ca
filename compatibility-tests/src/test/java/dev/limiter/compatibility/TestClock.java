package dev.limiter.compatibility;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still unless a test moves it, so that no window ends and no bucket refills by itself. */
class TestClock implements TimeSource {

    private Instant start = Instant.parse("2026-11-21T12:30:00Z");
    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long epochNanos() {
        return nanos.get();
    }

    /** Goes on to half past twelve of another day, when everything that was used is forgotten. */
    void startAnotherDay() {
        start = start.plus(Duration.ofDays(1));
        nanos.set(start.getEpochSecond() * 1_000_000_000L);
    }

    void advance(Duration duration) {
        nanos.addAndGet(duration.toNanos());
    }
}
