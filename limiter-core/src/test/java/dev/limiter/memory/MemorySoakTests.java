package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All operations of {@link Flood}: the bounds hold, the heap does not grow, and nothing is left behind. */
class MemorySoakTests {

    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("limiter.soak.seconds", 600));
    private static final long MAX_KEYS = 20_000;

    @Test
    @Tag("race")
    void boundsHoldAndNothingIsLeftBehind() {
        VirtualTime time = new VirtualTime();
        long before = Memory.usedAfterCollection();
        try (Flood flood = new Flood(time, 2000, 4)) {
            flood.run(150);
            flood.silence();
            assertThat(flood.storage().size()).isZero();
            Memory.awaitUntil(() -> Memory.used() < before + 8_000_000);
        }
    }

    /** The storage stays full for minutes. */
    @Test
    @Tag("long")
    void boundsHoldAndTheHeapIsFlat() {
        VirtualTime time = new VirtualTime();
        long end = System.nanoTime() + LENGTH.toNanos();
        try (Flood flood = new Flood(time, MAX_KEYS, 8)) {
            flood.run(60);
            long before = Memory.usedAfterCollection();
            do {
                flood.run(20);
                assertThat((double) flood.storage().size()).isBetween(0.99 * MAX_KEYS, 1.01 * MAX_KEYS);
            } while (System.nanoTime() < end);
            Memory.awaitUntil(() -> Memory.used() < before + 32_000_000);
            flood.silence();
            assertThat(flood.storage().size()).isZero();
        }
    }
}
