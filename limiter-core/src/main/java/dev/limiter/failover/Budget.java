package dev.limiter.failover;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The time left for one decision, over all its calls, and the way to wait: by blocking the thread or by a timer. A pause
 * of this JVM does not count: a thread that wakes up late reports the delay and waits for that long again. Immutable.
 */
public final class Budget {

    /** A thread is late if it wakes up after more than this part of the time-out. */
    private static final int LATE = 10;

    /** Shorter delays, in nanoseconds, are usual. */
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

    /** A budget from now that waits by a timer. */
    public static Budget of(Duration timeout) {
        return of(timeout, TimeSource.system());
    }

    static Budget of(Duration timeout, TimeSource clock) {
        return new Budget(timeout, clock, false);
    }

    /** A budget from now that blocks the waiting thread, which costs no timer. */
    static Budget blocking(Duration timeout, TimeSource clock) {
        return new Budget(timeout, clock, true);
    }

    /** A budget so many times as large, from now. */
    Budget again(int times) {
        return new Budget(timeout.multipliedBy(times), clock, blocking);
    }

    /** The rest of it, but at most so many nanoseconds. */
    Budget atMost(long nanos) {
        return new Budget(Duration.ofNanos(Math.min(nanos, left())), clock, blocking);
    }

    public Duration timeout() {
        return timeout;
    }

    /** The rest of it, in nanoseconds, 0 or more. */
    public long left() {
        return Math.max(deadline - clock.epochNanos(), 0);
    }

    /** The delay of a thread that wanted to wake up at the end, at most the time-out; 0 if it is no longer than usual. */
    long late() {
        long late = clock.epochNanos() - deadline;
        return late > Math.max(timeout.toNanos() / LATE, USUAL) ? Math.min(late, timeout.toNanos()) : 0;
    }

    /** Completes with true once the reply is there, or with false at the end of this budget. */
    CompletableFuture<Boolean> await(CompletableFuture<?> answer) {
        if (answer.isDone()) {
            return IN_TIME;
        }
        return blocking
                ? blockFor(answer) ? IN_TIME : TOO_LATE
                : answer.handle((any, failure) -> true).completeOnTimeout(false, left(), TimeUnit.NANOSECONDS);
    }

    /** An interrupted thread waits as well, and stays interrupted. */
    private boolean blockFor(CompletableFuture<?> answer) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    answer.get(left(), TimeUnit.NANOSECONDS);
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
