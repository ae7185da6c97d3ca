package dev.limiter.failover;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The time left for one decision including all its calls, and how to wait: by blocking the thread or with a timer. A
 * pause of this JVM does not count: a thread that wakes up late measures the delay and waits that much longer.
 * Immutable.
 */
public final class Budget {

    /** A thread is late if it wakes up after more than this part of the timeout. */
    private static final int LATE = 10;

    /** Shorter delays, in nanoseconds, are normal. */
    private static final long USUAL = Duration.ofMillis(3).toNanos();

    private static final CompletableFuture<Boolean> IN_TIME = CompletableFuture.completedFuture(true);
    private static final CompletableFuture<Boolean> TOO_LATE = CompletableFuture.completedFuture(false);

    private final TimeSource clock;
    private final Duration timeout;
    private final boolean blocking;
    private final long deadline;

    private Budget(Duration timeout, TimeSource clock, boolean blocking) {
        this.clock = clock;
        this.timeout = timeout;
        this.blocking = blocking;
        this.deadline = clock.epochNanos() + timeout.toNanos();
    }

    /** Creates a budget from now that waits with a timer. */
    public static Budget of(Duration timeout) {
        return of(timeout, TimeSource.system());
    }

    static Budget of(Duration timeout, TimeSource clock) {
        return new Budget(timeout, clock, false);
    }

    /** Creates a budget from now that blocks the waiting thread, which needs no timer. */
    static Budget blocking(Duration timeout, TimeSource clock) {
        return new Budget(timeout, clock, true);
    }

    /** Creates a budget from now, {@code times} as large. */
    Budget again(int times) {
        return new Budget(timeout.multipliedBy(times), clock, blocking);
    }

    /** Creates a budget of the time left, but at most {@code nanos}. */
    Budget atMost(long nanos) {
        return new Budget(Duration.ofNanos(Math.min(nanos, left())), clock, blocking);
    }

    public Duration timeout() {
        return timeout;
    }

    /** Returns the nanoseconds left, 0 or more. */
    public long left() {
        return Math.max(deadline - clock.epochNanos(), 0);
    }

    /** Returns how late the thread woke up after the end, at most the timeout; 0 for a normal delay. */
    long late() {
        long late = clock.epochNanos() - deadline;
        return late > Math.max(timeout.toNanos() / LATE, USUAL) ? Math.min(late, timeout.toNanos()) : 0;
    }

    /** Completes with true when the reply has arrived, or with false at the end of this budget. */
    CompletableFuture<Boolean> await(CompletableFuture<?> reply) {
        if (reply.isDone()) {
            return IN_TIME;
        }
        return blocking
                ? blockFor(reply) ? IN_TIME : TOO_LATE
                : reply.handle((any, failure) -> true).completeOnTimeout(false, left(), TimeUnit.NANOSECONDS);
    }

    /** Waits even if the thread is interrupted; the interrupt status is kept. */
    private boolean blockFor(CompletableFuture<?> reply) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    reply.get(left(), TimeUnit.NANOSECONDS);
                    return true;
                } catch (ExecutionException e) {
                    return true;
                } catch (TimeoutException e) {
                    return false;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
