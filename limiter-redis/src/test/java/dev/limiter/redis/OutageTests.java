package dev.limiter.redis;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Grants of an instance in memory while replies of a real server are late, lost, or missing. */
class OutageTests {

    private static final Duration DAY = Duration.ofDays(1);
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** A server that can be disconnected: calls fail, although they may have been executed. */
    private static final class CutRedis extends FakeRedis {

        private final Redis redis = SharedRedis.redis();
        private volatile boolean cut;
        private volatile CompletableFuture<Void> heard = CompletableFuture.completedFuture(null);

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
            return cut
                    ? CompletableFuture.failedFuture(new IllegalStateException("cut"))
                    : redis.run(script, keys, arguments).thenCombine(heard, (answer, then) -> answer);
        }
    }

    private final String prefix = "outage-" + NAMES.incrementAndGet() + ":";
    private final CutRedis redis = new CutRedis();
    private Duration timeout = Duration.ofSeconds(2);
    private Duration gather = RequestBatcher.GATHER;
    private final List<FailoverRateLimiterStorage> storages = new ArrayList<>();

    private FailoverRateLimiterStorage storage(int instances) {
        FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                        RedisRateLimiterStorage.builder(redis)
                                .keyPrefix(prefix)
                                .timeout(timeout)
                                .gather(gather)
                                .build(),
                        new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000))
                .instances(instances)
                .build();
        storages.add(storage);
        return storage;
    }

    @AfterEach
    void close() {
        storages.forEach(FailoverRateLimiterStorage::close);
    }

    private void cut(FailoverRateLimiterStorage storage) {
        redis.cut = true;
        Rule other = Rule.of("other", Limit.tokenBucket(1000, DAY));
        await(() -> {
            storage.decide(other, "key", 1);
            return !storage.isAvailable();
        });
    }

    private static int granted(FailoverRateLimiterStorage storage, Rule rule, int asked) {
        int granted = 0;
        for (int i = 0; i < asked; i++) {
            granted += storage.decide(rule, "key", 1).permitted() ? 1 : 0;
        }
        return granted;
    }

    @ParameterizedTest
    @MethodSource("rejectingForLong")
    void aKeyThatRedisHasRejectedStaysRejected(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        FailoverRateLimiterStorage storage = storage(1);
        assertThat(granted(storage, rule, 6)).isEqualTo(5);
        cut(storage);
        assertThat(granted(storage, rule, 20)).isZero();
        assertThat(storage.peek(rule, "key").permitted()).isFalse();
        assertThat(storage.decide(rule, "another", 5).permitted()).isTrue();
    }

    private static void assertLeft(FailoverRateLimiterStorage storage, Rule rule, long... left) {
        assertThat(storage.peek(rule, "key").limits().stream()
                        .mapToLong(LimitStatus::remaining)
                        .toArray())
                .containsExactly(left);
    }

    @Test
    void eachLimitIsReleasedAfterACallWithoutAReply() {
        Rule pool = Rule.of(
                "pool",
                Limit.concurrency(10).named("running"),
                Limit.concurrency(10).named("waiting"),
                Limit.fixedWindow(10, DAY).named("daily"));
        FailoverRateLimiterStorage storage = storage(1);
        FailoverRateLimiterStorage there = storage(1);
        CompletableFuture<Void> lost = new CompletableFuture<>();
        redis.heard = lost;
        Charge charge = pool.charge("key").cost("running", 4).cost("waiting", 0);
        CompletableFuture<Decision> answer = storage.decideAsync(List.of(charge));
        redis.heard = CompletableFuture.completedFuture(null);
        await(() -> there.peek(pool, "key").limits().get(0).remaining() == 6);
        assertLeft(there, pool, 6, 10, 9);
        lost.completeExceptionally(new IllegalStateException("cut"));
        answer.join().close();
        await(() -> there.peek(pool, "key").limits().get(0).remaining() == 10);
        assertLeft(there, pool, 10, 10, 9);
    }

    static Stream<Limit> rejectingForLong() {
        return Stream.of(
                Limit.fixedWindow(5, DAY),
                Limit.slidingWindowLog(5, DAY),
                Limit.calendarWindow(5, Period.ofDays(1), ZoneOffset.UTC));
    }
}
