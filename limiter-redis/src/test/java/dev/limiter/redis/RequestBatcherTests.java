package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.failover.StorageUnavailableException.Reason;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RealTime;
import dev.limiter.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests in one batch are decided as if each had been sent alone. */
@Tag("race")
class RequestBatcherTests {

    private static final Duration DAY = Duration.ofDays(1);

    /** The number of calls in progress from which requests are batched. */
    private static final int LITTLE = 4;

    private final Redis server = SharedRedis.redis();
    private final HeldRedis held = new HeldRedis(server);
    private String prefix = "";

    @BeforeEach
    void nameKeysAfterTheTest(TestInfo test) {
        prefix = test.getTestMethod().orElseThrow().getName() + System.nanoTime() + ":";
    }

    private RedisRateLimiterStorage storage(Redis redis) {
        return RedisRateLimiterStorage.builder(redis)
                .keyPrefix(prefix)
                .timeout(Duration.ofSeconds(20))
                .gather(Duration.ofHours(1))
                .build();
    }

    private void keepBusy(RedisRateLimiterStorage storage) {
        keepBusy(storage, held);
    }

    /** Occupies the server, so that the next requests wait. */
    static void keepBusy(RedisRateLimiterStorage storage, HeldRedis held) {
        Rule rule = Rule.of("busy", Limit.tokenBucket(100, DAY));
        assertThat(storage.decide(rule, "first", 2).permitted()).isTrue();
        held.hold();
        for (int i = 0; i < LITTLE; i++) {
            var unused = storage.decideAsync(List.of(rule.charge("key" + i, 2)));
        }
        assertThat(held.calls()).hasSize(LITTLE).containsOnly(1);
    }

    private static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(10, DAY),
                Limit.leakyBucket(10, DAY),
                Limit.fixedWindow(10, DAY),
                Limit.calendarWindow(10, Period.ofMonths(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(10, DAY),
                Limit.slidingWindowLog(10, DAY),
                Limit.concurrency(10));
    }

    @Test
    void requestsDuringOtherCallsShareOneCall() {
        RedisRateLimiterStorage storage = storage(held);
        RateLimiters afterwards = new RateLimiters(storage(server));
        List<Rule> rules = limits().map(limit -> Rule.of("single " + limit.algorithm() + limit.window(), limit))
                .toList();
        List<Charge> together = new ArrayList<>();
        List<CompletableFuture<Decision>> answers = new ArrayList<>();
        keepBusy(storage);

        for (Rule rule : rules) {
            answers.add(storage.decideAsync(List.of(rule.charge("a", 2))));
            answers.add(storage.decideAsync(List.of(rule.charge("b", 3))));
            together.add(rule.charge("c", 4));
        }
        answers.add(storage.decideAsync(together));
        assertThat(held.calls()).hasSize(LITTLE);
        held.release();

        assertThat(answers).allMatch(answer -> answer.join().permitted());
        assertThat(held.calls()).hasSize(LITTLE + 1).endsWith(2 * rules.size() + 1);
        for (Rule rule : rules) {
            assertThat(afterwards.peek(rule, "a").remaining()).as(rule.name()).isEqualTo(8);
            assertThat(afterwards.peek(rule, "b").remaining()).as(rule.name()).isEqualTo(7);
            assertThat(afterwards.peek(rule, "c").remaining()).as(rule.name()).isEqualTo(6);
        }
        assertThat(answers.get(0).join().remaining()).isEqualTo(8);
        assertThat(answers.get(1).join().remaining()).isEqualTo(7);
        answers.forEach(answer -> answer.join().close());
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aLaterRequestSeesPermitsTakenByAnEarlierOne(Limit limit) {
        RedisRateLimiterStorage storage = storage(held);
        Rule rule = Rule.of("rule", limit);
        keepBusy(storage);

        CompletableFuture<Decision> first = storage.decideAsync(List.of(rule.charge("key", 6)));
        CompletableFuture<Decision> second = storage.decideAsync(List.of(rule.charge("key", 6)));
        CompletableFuture<Decision> third = storage.decideAsync(List.of(rule.charge("key", 4)));
        held.release();

        assertThat(first.join().permitted()).isTrue();
        assertThat(second.join().permitted()).isFalse();
        assertThat(second.join().remaining()).isEqualTo(4);
        assertThat(third.join().permitted()).isTrue();
        assertThat(held.calls()).containsExactly(1, 1, 1, 1, 3);
        first.join().close();
        third.join().close();
    }

    /** As if each had been decided alone, in this order. */
    @ParameterizedTest
    @MethodSource("limits")
    void equalRequestsOfOnePermitAreSentAsOne(Limit limit) {
        RedisRateLimiterStorage storage = storage(held);
        Rule rule = Rule.of("rule", limit);
        keepBusy(storage);

        List<CompletableFuture<Decision>> decided = Stream.generate(() -> storage.ask(List.of(rule.charge("key"))))
                .limit(12)
                .toList();
        decided.get(3).cancel(true);
        held.release();

        List<Decision> decisions = decided.stream()
                .filter(decision -> !decision.isCancelled())
                .map(CompletableFuture::join)
                .toList();
        assertThat(held.calls()).endsWith(limit instanceof Limit.Concurrency ? 11 : 1);
        assertThat(decisions.subList(0, 10)).allMatch(Decision::permitted);
        assertThat(decisions)
                .extracting(Decision::remaining)
                .containsExactly(9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L, 0L, 0L);
        Decision rejected = decisions.get(10);
        Decision asked = storage(server).peek(rule, "key");
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.retryAfter().isPresent())
                .isEqualTo(asked.retryAfter().isPresent());
        rejected.retryAfter()
                .ifPresent(wait -> assertThat(wait).isCloseTo(asked.retryAfter().orElseThrow(), Duration.ofMinutes(1)));
        decisions.get(2).giveBack();
        decisions.get(9).giveBack();
        assertThat(storage(server).peek(rule, "key").remaining()).isEqualTo(2);
    }

    @Test
    void aBrokenStateFailsOnlyItsOwnRequests() {
        RedisRateLimiterStorage storage = storage(held);
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, DAY));
        Rule other = Rule.of("other", Limit.fixedWindow(10, DAY));
        Limit limit = rule.limits().get(0);
        byte[] garbageKey = bytes(prefix + "{rule:garbage}" + limit.name());
        byte[] hashKey = bytes(prefix + "{rule:hash}" + limit.name());
        var commands = SharedRedis.commands();
        commands.setex(garbageKey, 100, bytes("garbage"));
        commands.hset(hashKey, bytes("a"), bytes("b"));
        commands.expire(hashKey, 100);
        keepBusy(storage);

        CompletableFuture<Decision> before = storage.decideAsync(List.of(rule.charge("before", 2)));
        CompletableFuture<Decision> garbage = storage.decideAsync(List.of(rule.charge("garbage", 2)));
        CompletableFuture<Decision> between =
                storage.decideAsync(List.of(rule.charge("between", 2), other.charge("between", 3)));
        CompletableFuture<Decision> half =
                storage.decideAsync(List.of(other.charge("half", 3), rule.charge("hash", 2)));
        CompletableFuture<Decision> after = storage.decideAsync(List.of(rule.charge("after", 2)));
        held.release();

        assertThat(Stream.of(before, between, after).map(CompletableFuture::join))
                .allMatch(Decision::permitted)
                .allMatch(decision -> decision.remaining() == (decision == between.join() ? 7 : 8));
        assertThatThrownBy(garbage::join).cause().hasFieldOrPropertyWithValue("reason", Reason.BROKEN_STATE);
        assertThatThrownBy(half::join).cause().hasFieldOrPropertyWithValue("reason", Reason.BROKEN_STATE);
        assertThat(held.calls()).hasSize(LITTLE + 1);
        assertThat(storage.peek(other, "half").remaining()).isEqualTo(10);
    }

    @Test
    void aFullServerStillRejects() {
        try (RedisServer full = RedisServer.started();
                FastTimeoutClient client = FastTimeoutClient.of(full)) {
            HeldRedis there = new HeldRedis(client.redis());
            RedisRateLimiterStorage storage = storage(there);
            Rule rule = Rule.of("rule", Limit.tokenBucket(10, DAY));
            // by another instance, so that this one has to call Redis
            assertThat(storage(client.redis())
                            .decide(List.of(rule.charge("used", 10)))
                            .permitted())
                    .isTrue();
            keepBusy(storage, there);
            full.ask(commands -> commands.configSet("maxmemory", "1"));

            CompletableFuture<Decision> permitted = storage.decideAsync(List.of(rule.charge("a", 2)));
            CompletableFuture<Decision> rejected = storage.decideAsync(List.of(rule.charge("used", 2)));
            there.release();

            assertThatThrownBy(permitted::join).hasCauseInstanceOf(StorageUnavailableException.class);
            assertThat(rejected.join().permitted()).isFalse();
            assertThat(there.calls()).endsWith(2);
        }
    }

    @Test
    void aBatchIsBoundedWhenRepliesAreSlow() {
        RedisRateLimiterStorage storage = storage(held);
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, DAY));
        keepBusy(storage);

        for (int i = 1; i < SlotRequestBatcher.FULL; i++) {
            var unused = storage.decideAsync(List.of(rule.charge("key" + i, 2)));
        }
        assertThat(held.calls()).hasSize(LITTLE);
        CompletableFuture<Decision> last = storage.decideAsync(List.of(rule.charge("last", 2)));

        assertThat(held.calls()).hasSize(LITTLE + 1).endsWith(SlotRequestBatcher.FULL);
        held.release();
        assertThat(last.join().permitted()).isTrue();
    }

    @Test
    void expensiveRequestsAreNotBatchedWithOthers() {
        RedisRateLimiterStorage storage = storage(held);
        Rule rule = Rule.of("rule", Limit.slidingWindowLog(10_000, DAY));
        keepBusy(storage);

        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            decisions.add(storage.decideAsync(List.of(rule.charge("key" + i, 600))));
        }
        // 600 entries cost as much as 38 buckets
        assertThat(held.calls()).hasSize(LITTLE + 1).endsWith(2);
        held.release();
        assertThat(decisions).allMatch(decision -> decision.join().permitted());
        assertThat(held.calls()).endsWith(1);
    }

    @Test
    void noCallIsSentForCallersThatGaveUp() {
        RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(held)
                .keyPrefix(prefix)
                .timeout(Duration.ofMillis(100))
                .gather(Duration.ofHours(1))
                .build();
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, DAY));
        keepBusy(storage);

        assertThatThrownBy(() -> storage.decide(List.of(rule.charge("key", 2))))
                .isInstanceOf(StorageUnavailableException.class);
        held.release();

        assertThat(held.keys()).isNotEmpty().noneMatch(key -> key.contains("{rule:key}"));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void noCallIsSentForCancelledRequests(Limit limit) {
        RedisRateLimiterStorage storage = storage(held);
        Rule rule = Rule.of("rule", limit);
        keepBusy(storage);

        CompletableFuture<Decision> answer = storage.ask(List.of(rule.charge("key", 2)));
        answer.cancel(true);
        CompletableFuture<Decision> next = storage.ask(List.of(rule.charge("next", 2)));
        held.release();

        next.join().close();
        assertThat(held.keys()).noneMatch(key -> key.contains("{rule:key}"));
    }

    /** Calls without a connection fail at once, so they are no measure of the latency. */
    @Test
    void requestsAreNotBatchedAtHighLatency() {
        AtomicBoolean cut = new AtomicBoolean();
        Redis late = late(Duration.ofMillis(20));
        HeldRedis slow = new HeldRedis(new FakeRedis() {
            @Override
            public CompletionStage<byte[]> run(Script script, byte[][] names, byte[]... arguments) {
                return cut.get()
                        ? CompletableFuture.failedFuture(new StorageUnavailableException("on purpose", null))
                        : late.run(script, names, arguments);
            }
        });
        RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(slow)
                .keyPrefix(prefix)
                .timeout(Duration.ofSeconds(20))
                .build();
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, DAY));
        for (int round = 0; round < 3; round++) {
            int before = slow.calls().size();
            List<CompletableFuture<Decision>> answers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                answers.add(storage.decideAsync(List.of(rule.charge(round + "-" + i, 2))));
            }
            assertThat(slow.calls().subList(before, before + 20)).containsOnly(1);
            answers.forEach(CompletableFuture::join);
            cut.set(true);
            assertThat(storage.decideAsync(List.of(rule.charge("failed", 2))))
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableThat()
                    .havingRootCause()
                    .withMessage("on purpose");
            cut.set(false);
        }
    }

    private Redis late(Duration by) {
        Executor later = CompletableFuture.delayedExecutor(by.toMillis(), TimeUnit.MILLISECONDS);
        return new FakeRedis() {
            @Override
            public CompletionStage<byte[]> run(Script script, byte[][] names, byte[]... arguments) {
                return server.run(script, names, arguments).thenApplyAsync(answer -> answer, later);
            }
        };
    }

    @Test
    void callsWithoutAReplyBlockNoRequest() {
        RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(held)
                .keyPrefix(prefix)
                .timeout(Duration.ofSeconds(5))
                .gather(Duration.ofMillis(20))
                .build();
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, DAY));
        held.hold();
        for (int i = 0; i < 2 * LITTLE; i++) {
            var unused = storage.decideAsync(List.of(rule.charge("lost" + i, 2)));
        }
        held.loseWhatIsHeld();
        // longer than calls are batched
        RealTime.pass(Duration.ofMillis(40));

        for (int i = 0; i < 20; i++) {
            assertThat(storage.decide(rule, "key" + i, 2).permitted()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void lateGrantsOfAnyLimitAreReturned(Limit limit) {
        RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(held)
                .keyPrefix(prefix)
                .timeout(Duration.ofMillis(100))
                .build();
        Rule rule = Rule.of("rule", limit);
        held.hold();
        CompletableFuture<Decision> late = storage.ask(List.of(rule.charge("key", 2)));
        assertThat(storage(server).peek(rule, "key").remaining()).isEqualTo(8);
        Conditions.await(() -> {
            storage.cleanUp();
            return late.isDone();
        });
        assertThatThrownBy(late::join).hasCauseInstanceOf(StorageUnavailableException.class);
        // held permits are released without a reply
        long released = limit instanceof Limit.Concurrency ? 2 : 0;
        assertThat(storage(server).peek(rule, "key").remaining()).isEqualTo(8 + released);
        held.release();

        assertThat(storage(server).peek(rule, "key").remaining()).isEqualTo(10);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
