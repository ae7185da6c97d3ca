package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;

/**
 * What memory promises beyond what every storage does, above all how many states it holds. Others are not asked: a server
 * that many share counts none of its own.
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

    /** Nothing counts any longer: the next cleaning leaves nothing. */
    static void forgets(RateLimiters limiters, VirtualTime time) {
        time.advance(TICK);
        limiters.storage().cleanUp();
        holds(limiters, 0);
    }
}
