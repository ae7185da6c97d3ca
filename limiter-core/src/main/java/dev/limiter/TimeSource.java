package dev.limiter;

import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The clock for all decisions. Implementations are thread-safe and do not block.
 *
 * <p>A clock should never step back. A step back grants no permits, and blocks a key for at most one window; for limits
 * with windows, steps of up to half a window add their length. Waiting requests use only this clock, because a test
 * clock may stand still: a step back prolongs their wait by its length, even beyond the maximum wait.
 */
@FunctionalInterface
public interface TimeSource {

    /** Returns nanoseconds since 1970-01-01T00:00Z, from 0 to 2<sup>62</sup> (the year 2116). */
    long epochNanos();

    /**
     * Returns a clock that starts with the wall clock time and advances with {@link System#nanoTime()}, so it never
     * steps back.
     */
    static TimeSource system() {
        return SystemTimeSource.INSTANCE;
    }

    /**
     * Returns a time source that reads {@code clock}, for example one that a test controls. It has the resolution of
     * that clock (microseconds on most systems for {@link Clock#systemUTC()}) and steps back when the clock does; the
     * zone is ignored. In production, prefer {@link #system()}.
     */
    static TimeSource of(Clock clock) {
        Objects.requireNonNull(clock, "clock");
        return () -> {
            Instant now = clock.instant();
            return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        };
    }
}
