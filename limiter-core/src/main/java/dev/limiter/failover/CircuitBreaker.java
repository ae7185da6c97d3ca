package dev.limiter.failover;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The circuit breaker of one node. Its owner opens it after five failures in a row. Calls that failed at the same moment
 * count as one failure: the machine may have paused. While it is open, one caller probes now and then ({@link
 * #probeIsDue}), and three successful probes in a row close it. A breaker that opens again within ten seconds needs twice
 * as many the next time, up to 24: it closes within two seconds all the same. Thread-safe; never blocks.
 */
final class CircuitBreaker {

    private static final int FAILURES_IN_A_ROW = 5;

    static final int PROBES_IN_A_ROW = 3;

    /** A breaker that was closed for this long did not flap. */
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

    /** When the breaker was closed last. */
    private long closed;

    /** How often the number of probes in a row is doubled. */
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

    /** True for one caller now and then, while open. */
    boolean probeIsDue() {
        long now = clock.epochNanos();
        long due = nextProbe.get();
        return open && now - due >= 0 && nextProbe.compareAndSet(due, now + probeEveryNanos);
    }

    /** A call succeeded. */
    void succeeded() {
        if (failures > 0 && !open) {
            synchronized (lock) {
                failures = 0;
            }
        }
    }

    /** A call failed that began at {@code begun} of the same clock; returns true if the owner must open the breaker. */
    boolean failed(long begun) {
        synchronized (lock) {
            if (failures++ == 0) {
                firstFailed = clock.epochNanos();
            }
            return !open && failures >= FAILURES_IN_A_ROW && begun - firstFailed >= 0;
        }
    }

    /** Opens the breaker; false if it was open. */
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

    /** A probe succeeded; true if that closed the breaker. */
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

    /** A probe failed. */
    void probeFailed() {
        synchronized (lock) {
            probed = 0;
        }
    }
}
