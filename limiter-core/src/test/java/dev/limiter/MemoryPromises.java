package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;

/**
 * The contract of the storage in memory beyond that of every storage, above all the number of its states. Others are
 * not asked: a shared server counts none of its own.
 */
final class MemoryPromises {

    /** Of tests that other storages do not run. */
    static final String TAG = "memory";

    /** The time axis of the storage is in steps of 2^27 nanoseconds. */
    private static final long TICK = 1L << 27;

    private MemoryPromises() {}

    static void holds(RateLimiters limiters, long states) {
        if (limiters.storage() instanceof InMemoryRateLimiterStorage memory) {
            assertThat(memory.size()).isEqualTo(states);
        }
    }

    /** No permit counts any longer: the next cleaning leaves no state. */
    static void forgets(RateLimiters limiters, VirtualTime time) {
        time.advance(TICK);
        limiters.storage().cleanUp();
        holds(limiters, 0);
    }
}
