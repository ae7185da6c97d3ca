package dev.limiter.redis;

import dev.limiter.TimeSource;
import org.jspecify.annotations.Nullable;

/** The clock that scripts use: the server's own, or one passed by a test. Thread-safe. */
final class ServerTime {

    /** Passed to scripts to make them use the server's clock. */
    private static final long OF_THE_SERVER = -1;

    private final @Nullable TimeSource passed;
    private final TimeSource clock;

    /** How far the server's clock is ahead; precise enough to find calendar windows. */
    private volatile long aheadMicros;

    /** How far the local clock was ahead when a reply was read: the age of the reply plus a constant. */
    private final RecentMinimum ages;

    public ServerTime(@Nullable TimeSource passed) {
        this(passed, passed == null ? TimeSource.system() : passed);
    }

    /** Creates an instance; {@code clock} is the local clock. */
    ServerTime(@Nullable TimeSource passed, TimeSource clock) {
        this.passed = passed;
        this.clock = clock;
        this.ages = new RecentMinimum(clock.epochNanos());
    }

    public boolean isPassed() {
        return passed != null;
    }

    /** Returns the clock of this instance, or the one passed. */
    public TimeSource clock() {
        return clock;
    }

    /** Returns the time to pass to scripts, in microseconds. */
    public long argument() {
        return passed == null ? OF_THE_SERVER : micros();
    }

    /** Returns the estimated time of the server, in microseconds. */
    public long serverMicros() {
        return micros() + aheadMicros;
    }

    public void observe(long serverMicros) {
        aheadMicros = serverMicros - micros();
    }

    /**
     * Returns the local time at which a wait ends that the server counts from its own time. The clocks differ, so the
     * time of the server is derived from the fastest replies. The wait starts no earlier than the request, and no later
     * than its reply.
     *
     * @param serverMicros the time of the reply, in microseconds of the server
     * @param delay the wait, in microseconds
     * @param calledAt when the request was created, in epoch nanoseconds of the local clock
     * @return epoch nanoseconds of the local clock
     */
    long turn(long serverMicros, long delay, long calledAt) {
        long read = clock.epochNanos();
        ages.measured(read - serverMicros * 1000, read);
        return Math.min(Math.max(serverMicros * 1000 + ages.nanos(), calledAt), read) + delay * 1000;
    }

    private long micros() {
        return Math.floorDiv(clock.epochNanos(), 1000);
    }
}
