package dev.limiter.failover;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether it is of use to ask. To be opened (it is not) after several calls in a row have failed, of which one was begun
 * when another had failed already: calls that all stood still at the same moment, because the machine did, are one
 * failure. While it is open, a caller should probe every now and then ({@link #probeIsDue}); several probes in a
 * row that succeed close it. A circuit that opens again soon after that is probed less and less often.
 * Thread-safe; never blocks.
 */
final class CircuitBreaker {

    private static final int FAILURES_IN_A_ROW = 5;

    /** One answer in time may be chance. */
    static final int PROBES_IN_A_ROW = 3;

    /** A circuit that was closed for so long did not flap. */
    private static final long STABLE_NANOS = Duration.ofSeconds(10).toNanos();

    /** How often the time between two probes is doubled at most. */
    private static final int MOST_DOUBLINGS = 5;

    private final TimeSource clock;
    private final long probeEveryNanos;

    private final Object lock = new Object();

    /** Failed calls since the last one that did not. */
    private int failures;

    /** When the first of them had failed. */
    private long firstFailed;

    /** Probes that succeeded since the last one that did not. */
    private int probed;

    /** When the circuit was closed last. */
    private long closed;

    private volatile int doublings;
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
        return open && now - due >= 0 && nextProbe.compareAndSet(due, now + (probeEveryNanos << doublings));
    }

    /** A call succeeded. */
    void succeeded() {
        if (failures > 0 && !open) {
            synchronized (lock) {
                failures = 0;
            }
        }
    }

    /** A call failed that was begun at {@code begun}, by the same clock; true if these are enough to open the circuit. */
    boolean failed(long begun) {
        synchronized (lock) {
            if (failures++ == 0) {
                firstFailed = clock.epochNanos();
            }
            return !open && failures >= FAILURES_IN_A_ROW && begun - firstFailed >= 0;
        }
    }

    /** Opens the circuit, unless it is; true if it was not. */
    boolean open() {
        synchronized (lock) {
            if (open) {
                return false;
            }
            long now = clock.epochNanos();
            doublings = now - closed < STABLE_NANOS ? Math.min(doublings + 1, MOST_DOUBLINGS) : 0;
            nextProbe.set(now + (probeEveryNanos << doublings));
            probed = 0;
            open = true;
            return true;
        }
    }

    /** A probe succeeded; true if that closed the circuit. */
    boolean probeSucceeded() {
        synchronized (lock) {
            failures = 0;
            if (!open || ++probed < PROBES_IN_A_ROW) {
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
