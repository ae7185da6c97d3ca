package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rule that Redis does not support is a mistake of the caller: it fails the future and nothing else. */
class UnsupportedRuleTests {

    /** More failures in a row than a breaker allows. */
    private static final int MANY = 20;

    private final Rule rule = Rule.of("rule", Limit.tokenBucket(10, Duration.ofNanos(1500)));

    /** Returns a storage on a server that is never called. */
    private static RedisRateLimiterStorage storage(boolean clustered) {
        return RedisRateLimiterStorage.builder(new Redis() {
                    @Override
                    public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public int slot(byte[] key) {
                        return 0;
                    }

                    @Override
                    public boolean isClustered() {
                        return clustered;
                    }

                    @Override
                    public void close() {}
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
        RedisRateLimiterStorage storage = storage(false);
        assertFailed(storage.ask(List.of(rule.charge("key"))));
        assertFailed(storage.decideAsync(List.of(rule.charge("key"))));
        assertFailed(storage.peekAsync(List.of(rule.charge("key"))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void doesNotAffectOtherRules(boolean clustered) {
        FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                        storage(clustered),
                        new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000))
                .instances(1)
                .build();
        RateLimiters limiters = new RateLimiters(storage);
        for (int i = 0; i < MANY; i++) {
            assertFailed(limiters.tryAcquireAsync(rule, "key"));
            assertFailed(limiters.peekAsync(rule, "key"));
            assertFailed(limiters.acquireAsync(rule, "key", Duration.ofSeconds(1)));
        }
        assertThat(storage.isAvailable()).isTrue();
        limiters.close();
    }
}
