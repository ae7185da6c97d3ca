package dev.limiter.redis.script;

import dev.limiter.TimeSource;
import org.jspecify.annotations.Nullable;

/** Tells scripts to go by the server's clock, or by one that a test passes. Thread-safe. */
public final class ServerTime {

    /** Instead of a time that is passed. */
    private static final long OF_THE_SERVER = -1;

    private final @Nullable TimeSource passed;
    private final TimeSource clock;

    /** How far the server's clock is ahead of ours; only as good as finding calendar windows takes. */
    private volatile long aheadMicros;

    public ServerTime(@Nullable TimeSource passed) {
        this.passed = passed;
        this.clock = passed == null ? TimeSource.system() : passed;
    }

    public boolean isPassed() {
        return passed != null;
    }

    /** The clock of this instance, or the given one. */
    public TimeSource clock() {
        return clock;
    }

    /** The time that a script is told, in microseconds. */
    public long toTell() {
        return passed == null ? OF_THE_SERVER : micros();
    }

    /** The time of the server, as far as is known, in microseconds. */
    public long there() {
        return micros() + aheadMicros;
    }

    public void learn(long microsThere) {
        aheadMicros = microsThere - micros();
    }

    private long micros() {
        return Math.floorDiv(clock.epochNanos(), 1000);
    }
}
