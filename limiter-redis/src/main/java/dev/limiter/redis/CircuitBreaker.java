package dev.limiter.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Whether it is of use to ask. Open (it is not) after several calls in a row have failed, of which one was begun when
 * another had failed already: calls that all stood still at the same moment, because the machine did, are one failure.
 * While it is open, somebody should look every now and then ({@link #probeIsDue}); the first call that succeeds closes it.
 * Thread-safe; never blocks.
 */
final class CircuitBreaker {

    private static final int FAILURES_IN_A_ROW = 5;

    private final LongSupplier nanoTime;
    private final long probeEveryNanos;

    private final Object lock = new Object();

    /** Failed calls since the last one that did not. */
    private int failures;

    /** When the first of them had failed. */
    private long firstFailed;

    private volatile boolean open;
    private final AtomicLong nextProbe = new AtomicLong();

    CircuitBreaker(Duration probeEvery, LongSupplier nanoTime) {
        this.probeEveryNanos = probeEvery.toNanos();
        this.nanoTime = nanoTime;
    }

    boolean isOpen() {
        return open;
    }

    /** True for one caller now and then, while open. */
    boolean probeIsDue() {
        long now = nanoTime.getAsLong();
        long due = nextProbe.get();
        return open && now - due >= 0 && nextProbe.compareAndSet(due, now + probeEveryNanos);
    }

    /** A call succeeded; true if that closed the circuit. */
    boolean succeeded() {
        if (failures == 0 && !open) {
            return false;
        }
        synchronized (lock) {
            failures = 0;
            boolean closes = open;
            open = false;
            return closes;
        }
    }

    /** A call failed that was begun at {@code begun}, by the same clock; true if that opened the circuit. */
    boolean failed(long begun) {
        synchronized (lock) {
            long now = nanoTime.getAsLong();
            if (failures++ == 0) {
                firstFailed = now;
            }
            if (open || failures < FAILURES_IN_A_ROW || begun - firstFailed < 0) {
                return false;
            }
            nextProbe.set(now + probeEveryNanos);
            open = true;
            return true;
        }
    }
}
