package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.VirtualTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The guarantees of the in-memory storage, all at once: see {@link Flood}. */
@Tag("race")
class UnderFloodTests {

    @Test
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
}
