package dev.limiter.failover;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The circuit breaker of one node. The owner opens it after five failures in a row. Calls that failed at the same
 * moment count as one failure, because the machine may have paused. While it is open, one caller at a time probes
 * ({@link #probeIsDue}), and three successful probes in a row close it. A breaker that opens again within ten seconds
 * needs twice as many next time, up to 24, and still closes within two seconds. Thread-safe; never blocks.
 */
final class CircuitBreaker {

    private static final int FAILURES_IN_A_ROW = 5;

    static final int PROBES_IN_A_ROW = 3;

    /** A breaker that was closed for this long is not flapping. */
    private static final long STABLE_NANOS = Duration.ofSeconds(10).toNanos();

    private static final int MOST_DOUBLINGS = 3;

    private final TimeSource clock;
    private final long probeEveryNanos;

    private final Object lock = new Object();

    /** Failed calls in a row. */
    private int failures;

    /** When the first of them failed. */
    private long firstFailed;

    /** Successful probes in a row. */
    private int probed;

    /** When the breaker last closed. */
    private long closed;

    /** How often the required number of probes is doubled. */
    private int doublings;

    private volatile boolean open;
    private final AtomicLong nextProbe = new AtomicLong();

    CircuitBreaker(Duration probeEvery, TimeSource clock) {
        this.probeEveryNanos = probeEvery.toNanos();
        this.clock = clock;
        this.closed = clock.epochNanos() - STABLE_NANOS;
    }

    boolean isOpen() {
        return open;
    }

    /** Returns true to one caller per probe interval, while open. */
    boolean probeIsDue() {
        long now = clock.epochNanos();
        long due = nextProbe.get();
        return open && now - due >= 0 && nextProbe.compareAndSet(due, now + probeEveryNanos);
    }

    /** Records a successful call. */
    void succeeded() {
        if (failures > 0 && !open) {
            synchronized (lock) {
                failures = 0;
            }
        }
    }

    /** Records a failed call that began at {@code begun}; returns true if the owner must open the breaker. */
    boolean failed(long begun) {
        synchronized (lock) {
            if (failures++ == 0) {
                firstFailed = clock.epochNanos();
            }
            return !open && failures >= FAILURES_IN_A_ROW && begun - firstFailed >= 0;
        }
    }

    /** Opens the breaker; returns false if it was open. */
    boolean open() {
        synchronized (lock) {
            if (open) {
                return false;
            }
            long now = clock.epochNanos();
            doublings = now - closed < STABLE_NANOS ? Math.min(doublings + 1, MOST_DOUBLINGS) : 0;
            nextProbe.set(now + probeEveryNanos);
            probed = 0;
            open = true;
            return true;
        }
    }

    /** Records a successful probe; returns true if that closed the breaker. */
    boolean probeSucceeded() {
        synchronized (lock) {
            failures = 0;
            if (!open || ++probed < PROBES_IN_A_ROW << doublings) {
                return false;
            }
            closed = clock.epochNanos();
            open = false;
            return true;
        }
    }

    /** Records a failed probe. */
    void probeFailed() {
        synchronized (lock) {
            probed = 0;
        }
    }
}
