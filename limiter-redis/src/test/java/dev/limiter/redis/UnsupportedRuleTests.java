package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A rule that Redis does not support is a mistake of the caller: it fails the future and nothing else. */
class UnsupportedRuleTests {

    private final Rule rule = Rule.of("rule", Limit.tokenBucket(10, Duration.ofNanos(1500)));

    /** Returns a storage on a server that is never called. */
    private static RedisRateLimiterStorage storage() {
        return RedisRateLimiterStorage.builder(new FakeRedis() {
                    @Override
                    public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
                        throw new UnsupportedOperationException();
                    }
                })
                .build();
    }

    private static void assertFailed(CompletableFuture<Decision> answer) {
        assertThat(answer)
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(IllegalArgumentException.class)
                .withMessageContaining("whole number of microseconds");
    }

    @Test
    void failsTheFuture() {
        RedisRateLimiterStorage storage = storage();
        assertFailed(storage.ask(List.of(rule.charge("key"))));
        assertFailed(storage.decideAsync(List.of(rule.charge("key"))));
        assertFailed(storage.peekAsync(List.of(rule.charge("key"))));
    }
}
