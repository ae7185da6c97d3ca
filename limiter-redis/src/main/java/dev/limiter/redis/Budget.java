package dev.limiter.redis;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time that one decision may take, from now on, however many calls that are. Time in which this JVM did not get to run
 * does not count: a thread that wakes up late says so, and waits again for as long as it was late, since the thread that
 * reads answers was hardly in time either. Immutable.
 */
final class Budget {

    /** A thread that wakes up so much later than it wanted to, of the time-out, is late. */
    private static final int LATE = 10;

    private final LongSupplier nanoTime;
    private final Duration timeout;
    private final long deadline;

    Budget(Duration timeout, LongSupplier nanoTime) {
        this.timeout = timeout;
        this.nanoTime = nanoTime;
        this.deadline = nanoTime.getAsLong() + timeout.toNanos();
    }

    static Budget of(Duration timeout) {
        return new Budget(timeout, System::nanoTime);
    }

    Duration timeout() {
        return timeout;
    }

    /** What is left of it, in nanoseconds, 0 or more. */
    long left() {
        return Math.max(deadline - nanoTime.getAsLong(), 0);
    }

    /**
     * By how much a thread woke up late that wanted to at the end of the budget, in nanoseconds; 0 if that is no more than
     * usual. At most the time-out.
     */
    long late() {
        long late = nanoTime.getAsLong() - deadline;
        return late > timeout.toNanos() / LATE ? Math.min(late, timeout.toNanos()) : 0;
    }
}
