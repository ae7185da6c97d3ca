package dev.limiter.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, with an end that only what is broken comes to. */
public final class Conditions {

    private static final Duration END = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 10_000_000;

    private Conditions() {}

    /**
     * Blocks until a condition is true.
     *
     * @throws AssertionError if it is still false after a minute
     */
    public static void await(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > END.toNanos()) {
                throw new AssertionError("Still false after " + END.toSeconds() + " s");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
