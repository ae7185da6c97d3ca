package dev.limiter.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for real time to pass, for example to pace a load or to exceed a timeout. Tests must also pass if this takes
 * much longer. To wait for events, use {@link Conditions}.
 */
public final class RealTime {

    private RealTime() {}

    /** Blocks for at least the duration. An interrupt ends it early and stays set. */
    public static void pass(Duration duration) {
        passUntil(System.nanoTime() + duration.toNanos());
    }

    /** Blocks until {@link System#nanoTime()} reaches a value. An interrupt ends it early. */
    public static void passUntil(long nanoTime) {
        for (long rest = nanoTime - System.nanoTime();
                rest > 0 && !Thread.currentThread().isInterrupted();
                rest = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(rest);
        }
    }
}
