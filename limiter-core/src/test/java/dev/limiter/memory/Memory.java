package dev.limiter.memory;

import java.util.function.BooleanSupplier;

/** Measures the heap for tests. */
final class Memory {

    private static final int ATTEMPTS = 200;

    private Memory() {}

    /** Collects garbage until a condition holds. */
    static void awaitUntil(BooleanSupplier condition) {
        for (int i = 0; !condition.getAsBoolean(); i++) {
            if (i == ATTEMPTS) {
                throw new AssertionError("Not collected");
            }
            System.gc();
        }
    }

    /** Returns the bytes of the heap in use after a collection. */
    static long usedAfterCollection() {
        System.gc();
        return used();
    }

    /** Returns the bytes of the heap in use. */
    static long used() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
