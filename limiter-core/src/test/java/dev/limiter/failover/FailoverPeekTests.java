package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Peeks at several charges, in the remote storage and in memory while one of its nodes fails. */
class FailoverPeekTests {

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStorage remote = new ScriptedStorage(time);
    private final FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                    remote, new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000))
            .timeSource(time)
            .build();
    private final Rule bucket = Rule.of("bucket", Limit.tokenBucket(10, Duration.ofHours(1)));
    private final List<Charge> charges = List.of(bucket.charge("a:one", 7), bucket.charge("b:two"));

    @Test
    void peeksAtAllAndTakesNothing() {
        remote.cluster();
        storage.decide(List.of(bucket.charge("a:one", 4)));
        Decision look = storage.peek(charges);
        assertThat(look.permitted()).isFalse();
        assertThat(look.parts()).extracting(Decision::permitted).containsExactly(false, true);
        assertThat(storage.peekAsync(charges).join().parts())
                .extracting(Decision::permitted)
                .containsExactly(false, true);
        assertThat(storage.peek(bucket, "a:one").remaining()).isEqualTo(6);
        assertThat(storage.peek(bucket, "b:two").remaining()).isEqualTo(10);
    }

    @Test
    void peeksInMemoryWhileANodeFails() {
        remote.cluster();
        remote.fail("a");
        Decision look = storage.peek(charges);
        assertThat(look.permitted()).isTrue();
        assertThat(look.parts()).allMatch(part -> part.onFailure().isPresent());
        assertThat(storage.peek(List.of(bucket.charge("b:two"))).onFailure()).isEmpty();
    }
}
