package dev.limiter.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Real time that a test makes itself: the pace of a load, an answer that comes late, a time-out that runs out. Tests
 * must hold however much longer it takes. {@link Conditions} waits for events.
 */
public final class RealTime {

    private RealTime() {}

    /** Blocks for so long at least; an interrupt stays set and ends it early. */
    public static void pass(Duration duration) {
        passUntil(System.nanoTime() + duration.toNanos());
    }

    /**
     * Blocks until {@link System#nanoTime()} has come so far; returns at once if it has. An interrupt ends it early.
     */
    public static void passUntil(long nanoTime) {
        for (long rest = nanoTime - System.nanoTime();
                rest > 0 && !Thread.currentThread().isInterrupted();
                rest = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(rest);
        }
    }
}
