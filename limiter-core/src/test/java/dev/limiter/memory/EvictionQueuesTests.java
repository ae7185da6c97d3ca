package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.ReleaseListeners;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No key is evicted while there is room. */
class EvictionQueuesTests {

    private final VirtualTime time = new VirtualTime();

    /** Several threads find the storage full at once: the first one makes space for all of them. */
    @ParameterizedTest
    @ValueSource(ints = {3, 1000})
    void noneIsASampleWhileThereIsRoom(int max) {
        Limit limit = Limit.tokenBucket(10, Duration.ofMinutes(1));
        Cells cells = new Cells(max, time, new ReleaseListeners(), new Eviction(max, time));
        CompiledLimit compiled = new RateLimiterFactory().compile(limit, time.now());
        BoundRule bound = new BoundRule(Rule.of("rule", limit), new CompiledLimit[] {compiled}, cells);
        EvictionQueues queues = new EvictionQueues(max);
        Cell newest = bound.newCell("key");
        queues.enter(newest, time.now());
        for (int i = 1; i < max; i++) {
            assertThat(queues.sample()).isEmpty();
            newest = bound.newCell("key" + i);
            queues.enter(newest, time.now());
        }
        assertThat(queues.sample()).contains(newest);
        queues.leave(newest);
        assertThat(queues.sample()).isEmpty();
    }
}
