package dev.limiter;

import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The clock of all decisions. Thread-safe; does not block.
 *
 * <p>Implementations should never step back. A step back grants no permits, and blocks a key for at most one window;
 * limits with windows add the step itself where that is at most half a window.
 * Waiting goes by this clock alone, for a clock of tests may stand still: a step back prolongs a wait by the step, beyond
 * the time that the caller gave it.
 */
@FunctionalInterface
public interface TimeSource {

    /** Nanoseconds since 1970-01-01T00:00Z, from 0 to 2<sup>62</sup> (the year 2116). */
    long epochNanos();

    /** The wall clock as it was when this class was loaded, advanced by {@link System#nanoTime()}: never steps back. */
    static TimeSource system() {
        return SystemTimeSource.INSTANCE;
    }

    /**
     * The time of a clock, such as one that a test moves. It has the resolution of that clock (microseconds on most
     * systems for {@link Clock#systemUTC()}), and steps back where that clock does; its zone has no effect. In
     * production, prefer {@link #system()}.
     */
    static TimeSource of(Clock clock) {
        Objects.requireNonNull(clock, "clock");
        return () -> {
            Instant now = clock.instant();
            return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        };
    }
}
