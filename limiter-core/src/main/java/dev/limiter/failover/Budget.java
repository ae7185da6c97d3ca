package dev.limiter.failover;

import dev.limiter.TimeSource;
import java.time.Duration;

/**
 * The time left for one decision, over all its calls. A pause of this JVM does not count: a thread that wakes up late
 * reports the delay and waits for that long again. Immutable.
 */
public final class Budget {

    /** A thread that wakes up so much later than it wanted to, of the time-out, is late. */
    private static final int LATE = 10;

    /** Shorter delays, in nanoseconds, are usual. */
    private static final long USUAL = Duration.ofMillis(3).toNanos();

    private final TimeSource clock;
    private final Duration timeout;
    private final long deadline;

    Budget(Duration timeout, TimeSource clock) {
        this.clock = clock;
        this.timeout = timeout;
        this.deadline = clock.epochNanos() + timeout.toNanos();
    }

    public static Budget of(Duration timeout) {
        return new Budget(timeout, TimeSource.system());
    }

    /** A budget so many times as large, from now. */
    Budget again(int times) {
        return new Budget(timeout.multipliedBy(times), clock);
    }

    /** The rest of it, but no more than that, in nanoseconds. */
    Budget atMost(long nanos) {
        return new Budget(Duration.ofNanos(Math.min(nanos, left())), clock);
    }

    public Duration timeout() {
        return timeout;
    }

    /** The rest of it, in nanoseconds, 0 or more. */
    public long left() {
        return Math.max(deadline - clock.epochNanos(), 0);
    }

    /**
     * The delay of a thread that wanted to wake up at the end of the budget, in nanoseconds, at most the time-out; 0 if
     * it is no longer than usual.
     */
    public long late() {
        long late = clock.epochNanos() - deadline;
        return late > Math.max(timeout.toNanos() / LATE, USUAL) ? Math.min(late, timeout.toNanos()) : 0;
    }
}
