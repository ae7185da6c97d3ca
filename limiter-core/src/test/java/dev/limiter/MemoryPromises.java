package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;

/**
 * Guarantees of the in-memory storage beyond those of every storage, above all the number of its states. Other storages
 * are skipped: a shared server does not count its states.
 */
final class MemoryPromises {

    /** Tags tests that other storages do not run. */
    static final String TAG = "memory";

    /** The in-memory storage orders expiry in steps of 2^27 nanoseconds. */
    private static final long TICK = 1L << 27;

    private MemoryPromises() {}

    static void holds(RateLimiters limiters, long states) {
        if (limiters.storage() instanceof InMemoryRateLimiterStorage memory) {
            assertThat(memory.size()).isEqualTo(states);
        }
    }

    /** Asserts that no state is left after a clean-up, because no permit counts any longer. */
    static void forgets(RateLimiters limiters, VirtualTime time) {
        time.advance(TICK);
        limiters.storage().cleanUp();
        holds(limiters, 0);
    }
}
