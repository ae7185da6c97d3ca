package dev.limiter.testkit;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions, with a timeout that only a defect can exceed. */
public final class Conditions {

    private static final Duration END = Duration.ofMinutes(4);
    private static final Duration POLL = Duration.ofMillis(10);

    private Conditions() {}

    /**
     * Blocks until a condition is true.
     *
     * @throws AssertionError if it is still false after four minutes
     */
    public static void await(BooleanSupplier condition) {
        if (!isMetWithin(END, condition)) {
            throw new AssertionError("Still false after " + END.toSeconds() + " s");
        }
    }

    /** Blocks until a condition is true; returns false after the timeout, for tests with their own failure message. */
    public static boolean isMetWithin(Duration end, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > end.toNanos()) {
                return false;
            }
            RealTime.pass(POLL);
        }
        return true;
    }
}
