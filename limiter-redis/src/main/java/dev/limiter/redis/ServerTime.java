package dev.limiter.redis;

import dev.limiter.TimeSource;
import org.jspecify.annotations.Nullable;

/** Tells scripts to go by the server's clock, or by one that a test passes. Thread-safe. */
final class ServerTime {

    /** Instead of a time that is passed. */
    private static final long OF_THE_SERVER = -1;

    private final @Nullable TimeSource passed;
    private final TimeSource clock;

    /** How far the server's clock is ahead of ours; only as good as finding calendar windows takes. */
    private volatile long aheadMicros;

    /**
     * By how much the local clock was ahead when an answer was read, and so how old the answer was, but for a constant.
     */
    private final RecentMinimum ages;

    public ServerTime(@Nullable TimeSource passed) {
        this(passed, passed == null ? TimeSource.system() : passed);
    }

    /** {@code clock}: of this instance. */
    ServerTime(@Nullable TimeSource passed, TimeSource clock) {
        this.passed = passed;
        this.clock = clock;
        this.ages = new RecentMinimum(clock.epochNanos());
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

    /**
     * When a wait is over by the local clock that the server counts from its own. The clocks differ, so the wait is
     * counted from the time of the server as the fastest answers told it, but from no time before the request or after
     * its answer.
     *
     * @param there the time of the answer, in microseconds of the server
     * @param delay the wait, in microseconds
     * @param asked when the request was made, in epoch nanoseconds of the local clock
     * @return in epoch nanoseconds of the local clock
     */
    long turn(long there, long delay, long asked) {
        long read = clock.epochNanos();
        ages.measured(read - there * 1000, read);
        return Math.min(Math.max(there * 1000 + ages.nanos(), asked), read) + delay * 1000;
    }

    private long micros() {
        return Math.floorDiv(clock.epochNanos(), 1000);
    }
}
