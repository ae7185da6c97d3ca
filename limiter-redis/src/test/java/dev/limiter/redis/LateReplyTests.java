package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.failover.StorageUnavailableException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Asynchronous callers that time out before the server replies. */
class LateReplyTests {

    /** The number of calls of a slot in progress from which requests are batched. */
    private static final int LITTLE = 4;

    private final AtomicInteger calls = new AtomicInteger();
    private CompletableFuture<byte[]> reply = new CompletableFuture<>();
    private final Rule rule = Rule.of("rule", Limit.tokenBucket(1000, Duration.ofHours(1)));
    private final RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(new Redis() {
                @Override
                public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
                    calls.incrementAndGet();
                    return reply;
                }

                @Override
                public int slot(byte[] key) {
                    return new String(key, StandardCharsets.UTF_8).contains("one") ? 1 : 2;
                }

                @Override
                public void close() {}
            })
            .timeout(Duration.ofMillis(1))
            .gather(Duration.ofHours(1))
            .build();

    private static void assertTimedOut(List<CompletableFuture<Decision>> callers) {
        assertThat(callers)
                .allSatisfy(caller -> assertThat(caller)
                        .failsWithin(Duration.ofSeconds(20))
                        .withThrowableThat()
                        .havingRootCause()
                        .isInstanceOf(StorageUnavailableException.class));
    }

    @Test
    void noCallIsSentForCallersThatTimedOut() {
        // a reply, which determines the latency
        reply.complete(new byte[0]);
        assertThat(storage.decideAsync(List.of(rule.charge("key")))).isCompletedExceptionally();
        calls.set(0);
        reply = new CompletableFuture<>();
        List<CompletableFuture<Decision>> callers = Stream.generate(
                        () -> storage.decideAsync(List.of(rule.charge("key"))))
                .limit(50)
                .toList();
        assertTimedOut(callers);
        reply.completeExceptionally(new IllegalStateException("too late"));
        assertThat(calls).hasValue(LITTLE);
    }

    @Test
    void noCallIsSentForRequestsInSeveralSlotsThatTimedOut() {
        // a reply, which determines the latency
        reply.complete(new byte[0]);
        List<Charge> both = List.of(rule.charge("one", 2), rule.charge("two", 2));
        assertThat(storage.decideAsync(both)).isCompletedExceptionally();
        calls.set(0);
        reply = new CompletableFuture<>();
        List<CompletableFuture<Decision>> callers = new ArrayList<>();
        for (int i = 0; i < LITTLE; i++) {
            callers.add(storage.decideAsync(List.of(rule.charge("one" + i, 2))));
            callers.add(storage.decideAsync(List.of(rule.charge("two" + i, 2))));
        }
        callers.add(storage.decideAsync(both));
        assertThat(calls).hasValue(2 * LITTLE);
        assertTimedOut(callers);
        reply.completeExceptionally(new IllegalStateException("too late"));
        assertThat(calls).hasValue(2 * LITTLE);
    }
}
