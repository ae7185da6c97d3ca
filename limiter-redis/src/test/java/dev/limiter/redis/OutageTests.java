package dev.limiter.redis;

import static dev.limiter.testkit.Conditions.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.memory.Threads;
import dev.limiter.testkit.RealTime;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The grants of an instance in memory, by its last answers: a real server whose answers are late, lost, or do not come.
 */
class OutageTests {

    private static final Duration DAY = Duration.ofDays(1);
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** A server that can be cut off: calls fail, and what they did is not heard of. */
    private static final class CutRedis implements Redis {

        private final Redis redis = SharedRedis.redis();
        private volatile boolean cut;
        private volatile CompletableFuture<Void> heard = CompletableFuture.completedFuture(null);

        /** When calls but probes are sent. */
        private volatile CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);

        private final AtomicInteger unsent = new AtomicInteger();

        /** The thread that reads all answers in the order of their calls, as of a connection; else each is read once heard. */
        private volatile @Nullable Executor reader;

        /** When an answer on a key is heard. */
        private volatile Function<String, CompletableFuture<Void>> settled =
                key -> CompletableFuture.completedFuture(null);

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
            if (cut) {
                return CompletableFuture.failedFuture(new IllegalStateException("cut"));
            }
            Executor reading = reader;
            if (reading != null) {
                return readInOrder(reading, script, keys, arguments);
            }
            CompletableFuture<Void> until = heard;
            if (!script.equals(Scripts.PROBE)) {
                for (byte[] key : keys) {
                    until = CompletableFuture.allOf(until, settled.apply(new String(key, US_ASCII)));
                }
            }
            CompletableFuture<Void> all = until;
            if (script.equals(Scripts.PROBE) || sent.isDone()) {
                return redis.run(script, keys, arguments).thenCombine(all, (answer, then) -> answer);
            }
            unsent.incrementAndGet();
            return sent.thenCompose(now -> redis.run(script, keys, arguments))
                    .thenCombine(all, (answer, then) -> answer);
        }

        private synchronized CompletionStage<byte[]> readInOrder(
                Executor reading, Script script, byte[][] keys, byte[]... arguments) {
            CompletableFuture<Void> until = heard;
            CompletableFuture<byte[]> answer =
                    redis.run(script, keys, arguments).toCompletableFuture();
            CompletableFuture<byte[]> read = new CompletableFuture<>();
            reading.execute(() -> {
                until.join();
                read.complete(answer.join());
            });
            return read;
        }

        @Override
        public CompletionStage<Void> delete(byte[][] keys) {
            return redis.delete(keys);
        }

        @Override
        public int slot(byte[] key) {
            return redis.slot(key);
        }

        @Override
        public void close() {}
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

    private void mend(FailoverRateLimiterStorage storage) {
        redis.cut = false;
        await(() -> {
            storage.cleanUp();
            return storage.isAvailable();
        });
    }

    private static int granted(FailoverRateLimiterStorage storage, Rule rule, int asked) {
        int granted = 0;
        for (int i = 0; i < asked; i++) {
            granted += storage.decide(rule, "key", 1).permitted() ? 1 : 0;
        }
        return granted;
    }

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(100, DAY),
                Limit.leakyBucket(100, DAY),
                Limit.fixedWindow(100, DAY),
                Limit.fixedWindow(100, DAY).startingWithFirst(),
                Limit.calendarWindow(100, Period.ofDays(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(100, DAY),
                Limit.slidingWindowLog(100, DAY),
                Limit.concurrency(100));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void anOutageGrantsWhatTheLastAnswerLeft(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        FailoverRateLimiterStorage storage = storage(1);
        assertThat(granted(storage, rule, 70)).isEqualTo(70);
        cut(storage);
        assertThat(granted(storage, rule, 200)).isEqualTo(30);
        assertThat(storage.peek(rule, "key").permitted()).isFalse();
        Decision refused = storage.decide(rule, "key", 1);
        assertThat(refused.onFailure()).contains(OnFailure.LOCAL);
        assertThat(refused.never()).isFalse();
        mend(storage);
        assertThat(granted(storage, rule, 200)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"50, 10", "30, 0", "160, 120"})
    void whatWasUsedStaysUsedWhenALimitChangesInAnOutage(long changed, int left) {
        Function<Long, Rule> rule = limit -> Rule.of(
                "rule",
                Limit.tokenBucket(limit, DAY).named("bucket"),
                Limit.fixedWindow(limit, DAY).named("window"),
                Limit.slidingWindowLog(limit, DAY).named("log"),
                Limit.concurrency(limit).named("running"));
        FailoverRateLimiterStorage storage = storage(1);
        assertThat(granted(storage, rule.apply(100L), 40)).isEqualTo(40);
        cut(storage);
        assertThat(granted(storage, rule.apply(changed), 200)).isEqualTo(left);
        mend(storage);
        assertThat(granted(storage, rule.apply(changed), 200)).isZero();
    }

    static Stream<LongFunction<Limit>> sizes() {
        return Stream.of(
                limit -> Limit.tokenBucket(limit, DAY),
                limit -> Limit.leakyBucket(limit, DAY),
                limit -> Limit.fixedWindow(limit, DAY),
                limit -> Limit.fixedWindow(limit, DAY).startingWithFirst(),
                limit -> Limit.calendarWindow(limit, Period.ofDays(1), ZoneOffset.UTC),
                limit -> Limit.slidingWindowCounter(limit, DAY),
                limit -> Limit.slidingWindowLog(limit, DAY),
                Limit::concurrency);
    }

    /** As where the limits of a key depend on its tier. */
    @ParameterizedTest
    @MethodSource("sizes")
    void whatIsUsedBeyondALowerLimitStaysUsed(LongFunction<Limit> limits) {
        Rule gold = Rule.of("rule", limits.apply(100));
        Rule free = Rule.of("rule", limits.apply(10));
        FailoverRateLimiterStorage storage = storage(1);
        assertThat(granted(storage, gold, 60)).isEqualTo(60);
        assertThat(granted(storage, free, 1)).isZero();
        cut(storage);
        assertThat(granted(storage, gold, 200)).isEqualTo(40);
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void aLoweredLimitOfWhichNothingWasTakenYetLeavesWhatIsNotUsed(LongFunction<Limit> limits) {
        Rule lowered = Rule.of("rule", limits.apply(100));
        FailoverRateLimiterStorage storage = storage(1);
        assertThat(granted(storage, Rule.of("rule", limits.apply(1000)), 80)).isEqualTo(80);
        assertThat(storage.peek(lowered, "key").remaining()).isEqualTo(20);
        cut(storage);
        assertThat(granted(storage, lowered, 200)).isEqualTo(20);
    }

    /** Memory has no room for what a higher limit was granted before, and counts it all the same. */
    @ParameterizedTest
    @MethodSource("sizes")
    void whatWasGrantedByAHigherLimitIsChargedAfterAnOutage(LongFunction<Limit> limits) {
        Rule gold = Rule.of("rule", limits.apply(100));
        Rule free = Rule.of("rule", limits.apply(10));
        for (boolean freeFirst : new boolean[] {false, true}) {
            FailoverRateLimiterStorage storage = storage(1);
            cut(storage);
            assertThat(granted(storage, gold, 200)).isEqualTo(100);
            assertThat(granted(storage, free, 1)).isZero();
            mend(storage);
            if (freeFirst) {
                assertThat(granted(storage, free, 1)).isZero();
            }
            assertThat(granted(storage, gold, 200)).isZero();
            storage.reset(gold, "key");
        }
    }

    @Test
    void whatIsHeldOverTwoOutagesIsHeldOnceWhateverTheLimit() {
        Rule before = Rule.of("rule", Limit.concurrency(20));
        Rule now = Rule.of("rule", Limit.concurrency(40));
        FailoverRateLimiterStorage storage = storage(1);
        cut(storage);
        assertThat(storage.decide(before, "key", 3).permitted()).isTrue();
        mend(storage);
        await(() -> left(before) == 17);
        cut(storage);
        assertThat(storage.decide(now, "key", 1).permitted()).isTrue();
        mend(storage);
        await(() -> left(now) <= 36);
        assertThat(left(now)).isEqualTo(36);
    }

    /** On the server, whatever this instance knows. */
    private long left(Rule rule) {
        return storage(1).peek(rule, "key").remaining();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void instancesShareWhatTheLastAnswerLeft(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        FailoverRateLimiterStorage storage = storage(3);
        granted(storage, rule, 70);
        cut(storage);
        assertThat(granted(storage, rule, 200)).isEqualTo(10);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void anOutageChargesEachLimitItsOwn(Limit limit) {
        Rule rule = Rule.of(
                "rule", limit.named("requests"), Limit.fixedWindow(1000, DAY).named("bytes"));
        Charge upload = rule.charge("key").costing("bytes", 100);
        Charge empty = upload.costing("bytes", 0);
        FailoverRateLimiterStorage storage = storage(1);
        assertThat(granted(storage, upload, 4)).isEqualTo(4);
        cut(storage);
        assertThat(granted(storage, upload, 20)).isEqualTo(6);
        storage.decide(List.of(empty)).giveBack();
        assertThat(granted(storage, empty, 3)).isEqualTo(3);
        mend(storage);
        assertThat(granted(storage, upload, 1)).isZero();
        assertThat(granted(storage, empty, 200)).isEqualTo(100 - 13);
    }

    private static int granted(FailoverRateLimiterStorage storage, Charge charge, int asked) {
        return (int) IntStream.range(0, asked)
                .filter(i -> storage.decide(List.of(charge)).permitted())
                .count();
    }

    /** Only one of two instances is asked afterwards: the other one charges by itself what it granted. */
    @ParameterizedTest
    @MethodSource("limits")
    void afterAnOutageEachInstanceChargesWhatItGrantedByItself(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        FailoverRateLimiterStorage asked = storage(2);
        FailoverRateLimiterStorage quiet = storage(2);
        int granted = granted(asked, rule, 10) + granted(quiet, rule, 10);
        asked.peek(rule, "key");
        cut(asked);
        cut(quiet);
        granted += granted(asked, rule, 200) + granted(quiet, rule, 200);
        assertThat(granted).isEqualTo(100);
        mend(quiet);
        // by an instance that has granted nothing itself
        FailoverRateLimiterStorage other = storage(2);
        await(() -> other.peek(rule, "key").remaining() <= 40);
        mend(asked);
        await(() -> other.peek(rule, "key").remaining() == 0);
        assertThat(granted(other, rule, 50)).isZero();
        assertThat(granted(asked, rule, 50)).isZero();
    }

    @Test
    void theLargestDebtsAreChargedFirstAndFewAtATime() {
        timeout = Duration.ofSeconds(20);
        gather = Duration.ZERO;
        Rule rule = Rule.of("rule", Limit.fixedWindow(1000, DAY));
        FailoverRateLimiterStorage storage = storage(1);
        cut(storage);
        for (int i = 1; i <= 300; i++) {
            storage.decide(rule, "key" + i, i);
        }
        Set<String> charged = ConcurrentHashMap.newKeySet();
        CompletableFuture<Void> held = new CompletableFuture<>();
        redis.settled = key -> {
            charged.add(key);
            return held;
        };
        mend(storage);
        await(() -> charged.size() == 64);
        assertThat(charged)
                .isEqualTo(IntStream.rangeClosed(237, 300)
                        .mapToObj(i -> prefix + "{rule:key" + i + "}")
                        .collect(Collectors.toSet()));
        held.complete(null);
        await(() -> charged.size() > 300);
        FailoverRateLimiterStorage other = storage(1);
        await(() -> other.peek(rule, "key1").remaining() == 999);
        assertThat(other.peek(rule, "key300").remaining()).isEqualTo(700);
    }

    @Test
    void instancesShareWhatIsLeftOfEachLimit() {
        Rule rule = Rule.of(
                "rule",
                Limit.tokenBucket(90, DAY).named("requests"),
                Limit.tokenBucket(3000, DAY).named("bytes"));
        Charge upload = rule.charge("key").costing("bytes", 100);
        FailoverRateLimiterStorage storage = storage(3);
        granted(storage, upload, 6);
        cut(storage);
        assertThat(granted(storage, upload, 20)).isEqualTo(8);
        assertThat(granted(storage, upload.costing("bytes", 0), 100)).isEqualTo(20);
    }

    @Test
    void whatIsHeldOfOneLimitAloneIsHeldAfterAnOutage() {
        Rule pool = Rule.of(
                "pool",
                Limit.concurrency(10).named("running"),
                Limit.concurrency(10).named("waiting"));
        Charge three = pool.charge("key", 3).costing("waiting", 0);
        FailoverRateLimiterStorage storage = storage(1);
        storage.decide(List.of(pool.charge("key"))).close();
        cut(storage);
        Decision held = storage.decide(List.of(three));
        assertThat(held.permitted()).isTrue();
        mend(storage);
        storage.decide(List.of(pool.charge("key"))).close();
        assertLeft(storage, pool, 7, 10);
        held.close();
        await(() -> storage.peek(pool, "key").limits().get(0).remaining() == 10);
        assertLeft(storage, pool, 10, 10);
    }

    private static void assertLeft(FailoverRateLimiterStorage storage, Rule rule, long... left) {
        assertThat(storage.peek(rule, "key").limits().stream()
                        .mapToLong(LimitStatus::remaining)
                        .toArray())
                .containsExactly(left);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void answersThatAreLateGrantNothingTwice(Limit limit) {
        timeout = Duration.ofMillis(20);
        Rule rule = Rule.of("rule", limit);
        FailoverRateLimiterStorage storage = storage(1);
        ExecutorService reader = Executors.newSingleThreadExecutor();
        redis.reader = reader;
        redis.heard = new CompletableFuture<>();
        AtomicInteger granted = new AtomicInteger();
        List<Callable<Boolean>> clients = IntStream.range(0, 64)
                .<Callable<Boolean>>mapToObj(i -> () -> {
                    if (i == 0) {
                        // some answers are late, some in time
                        for (int j = 0; j < 50; j++) {
                            RealTime.pass(Duration.ofMillis(15));
                            CompletableFuture<Void> held = redis.heard;
                            redis.heard =
                                    j % 2 == 0 ? CompletableFuture.completedFuture(null) : new CompletableFuture<>();
                            held.complete(null);
                        }
                    }
                    for (int j = 0; j < 20; j++) {
                        if (storage.decide(rule, "key", 1).permitted()) {
                            granted.incrementAndGet();
                        }
                    }
                    return true;
                })
                .toList();
        try (Threads threads = new Threads()) {
            threads.race(clients);
        }
        assertThat(granted).hasValueLessThanOrEqualTo(100);
        redis.heard.complete(null);
        mend(storage);
        granted.addAndGet(granted(storage, rule, 200));
        assertThat(granted).hasValueLessThanOrEqualTo(100);
        reader.shutdown();
    }

    @Test
    void aPermitThatIsReleasedCanBeHadInAnOutage() {
        Rule pool = Rule.of("pool", Limit.concurrency(5));
        FailoverRateLimiterStorage storage = storage(1);
        List<Decision> held = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            held.add(storage.decide(pool, "key", 1));
        }
        cut(storage);
        assertThat(granted(storage, pool, 10)).isZero();
        held.get(0).close();
        held.get(0).close();
        assertThat(granted(storage, pool, 10)).isEqualTo(1);
    }

    /** An answer that was made before the release, which nobody has heard to be done. */
    @Test
    void aPermitThatIsReleasedCanBeHadWhateverALaterAnswerSays() {
        timeout = Duration.ofSeconds(30);
        Rule pool = Rule.of("pool", Limit.concurrency(2));
        FailoverRateLimiterStorage storage = storage(1);
        Decision held = storage.decide(pool, "key", 2);
        CompletableFuture<Void> answered = new CompletableFuture<>();
        redis.heard = answered;
        redis.sent = new CompletableFuture<>();
        CompletableFuture<Decision> refused = storage.decideAsync(List.of(pool.charge("key")));
        await(() -> redis.unsent.get() == 1);
        redis.sent.complete(null);
        redis.heard = new CompletableFuture<>();
        held.close();
        answered.complete(null);
        assertThat(refused.join().permitted()).isFalse();
        cut(storage);
        assertThat(granted(storage, pool, 10)).isEqualTo(2);
    }

    @Test
    void whatIsGivenBackInAnOutageCanBeHadAgain() {
        Rule rule = Rule.of("rule", Limit.slidingWindowLog(10, DAY));
        FailoverRateLimiterStorage storage = storage(1);
        granted(storage, rule, 7);
        cut(storage);
        for (int i = 0; i < 20; i++) {
            Decision decision = storage.decide(rule, "key", 1);
            assertThat(decision.permitted()).isTrue();
            // closing releases nothing
            decision.close();
            decision.giveBack();
            decision.giveBack();
        }
        assertThat(granted(storage, rule, 20)).isEqualTo(3);
    }

    /** A place in the next window was never taken of the one that is used up. */
    @ParameterizedTest
    @MethodSource("windowsWithANextOne")
    void placesOfTheNextWindowThatAreGivenUpAreNoneOfThisOne(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        Charge charge = rule.charge("key").within(Duration.ofDays(15));
        FailoverRateLimiterStorage storage = storage(1);
        assertThat(granted(storage, rule, 10)).isEqualTo(10);
        List<Decision> waiting = IntStream.range(0, 10)
                .mapToObj(i -> storage.decide(List.of(charge)))
                .toList();
        assertThat(waiting).allMatch(Decision::permitted);
        cut(storage);

        waiting.forEach(Decision::giveBack);

        assertThat(granted(storage, rule, 20)).isZero();
    }

    static Stream<Limit> windowsWithANextOne() {
        return Stream.of(
                Limit.fixedWindow(10, DAY.multipliedBy(7)),
                Limit.calendarWindow(10, Period.ofDays(7), ZoneOffset.UTC),
                Limit.tokenBucket(10, DAY));
    }

    @Test
    void aPacedKeyHasOnePace() {
        Duration hour = Duration.ofHours(1);
        Rule paced = Rule.of("paced", Limit.leakyBucket(1, hour).paced().burst(5));
        FailoverRateLimiterStorage storage = storage(1);
        RateLimiters limiters = new RateLimiters(storage);
        assertThat(limiters.tryAcquire(paced, "key").permitted()).isTrue();
        cut(storage);
        assertThat(limiters.tryAcquire(paced, "key").permitted()).isFalse();
        Decision waits = storage.decide(List.of(paced.charge("key").within(DAY)));
        assertThat(waits.permitted()).isTrue();
        assertThat(waits.delay()).isGreaterThan(Duration.ofMinutes(50));
    }

    @Test
    void aRuleMayHaveFewerLimitsAfterAnOutage() {
        FailoverRateLimiterStorage storage = storage(1);
        Limit hour = Limit.fixedWindow(50, DAY).named("a");
        Limit day = Limit.fixedWindow(80, DAY).named("b");
        Rule two = Rule.of("rule", hour, day);
        storage.decide(two, "key", 1);
        cut(storage);
        storage.decide(two, "key", 9);
        mend(storage);
        assertThat(storage.decide(Rule.of("rule", day), "key", 1).remaining()).isEqualTo(80 - 11);
    }

    @Test
    void resetForgetsWhatWasGrantedInMemory() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(10, DAY));
        FailoverRateLimiterStorage storage = storage(1);
        storage.decide(rule, "key", 1);
        cut(storage);
        storage.decide(rule, "key", 9);
        mend(storage);
        storage.reset(rule, "key");
        assertThat(storage.decide(rule, "key", 10).permitted()).isTrue();
    }

    @Test
    void aDebtThatIsBeingChargedDoesNotOutliveAReset() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(10, DAY));
        FailoverRateLimiterStorage storage = storage(1);
        storage.decide(rule, "key", 1);
        redis.cut = true;
        await(() -> {
            storage.cleanUp();
            return !storage.isAvailable();
        });
        storage.decide(rule, "key", 9);
        CompletableFuture<Void> sent = new CompletableFuture<>();
        redis.sent = sent;
        mend(storage);
        await(() -> redis.unsent.get() > 0);
        Thread reset = new Thread(() -> storage.reset(rule, "key"));
        reset.start();
        // for the debt, or for Redis
        await(() -> switch (reset.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> true;
            case NEW, RUNNABLE, BLOCKED -> false;
        });
        sent.complete(null);
        await(() -> !reset.isAlive());
        assertThat(storage.decide(rule, "key", 10).permitted()).isTrue();
    }

    @Test
    void aBrokenStateFailsItsOwnRuleOnly() {
        Rule broken = Rule.of("broken", Limit.fixedWindow(10, DAY));
        Rule sound = Rule.of("sound", Limit.fixedWindow(3, DAY));
        SharedRedis.commands().setex((prefix + "{broken:key}").getBytes(US_ASCII), 60, "garbage".getBytes(US_ASCII));
        FailoverRateLimiterStorage storage = storage(1);
        List<Charge> both = List.of(broken.charge("key"), sound.charge("key"));
        for (int i = 0; i < 3; i++) {
            Decision decision = storage.decide(both);
            assertThat(decision.permitted()).isTrue();
            assertThat(decision.parts().get(0).onFailure()).contains(OnFailure.LOCAL);
            assertThat(decision.parts().get(1).onFailure()).isEmpty();
        }
        assertThat(storage.decide(both).permitted()).isFalse();
        // the refusal has charged nothing in memory
        assertThat(granted(storage, broken, 10)).isEqualTo(7);
        assertThat(storage.isAvailable()).isTrue();
    }

    @Test
    void whatIsReleasedWhileCutOffIsReleasedLater() {
        Rule pool = Rule.of("pool", Limit.concurrency(2));
        FailoverRateLimiterStorage here = storage(1);
        RedisRateLimiterStorage there = RedisRateLimiterStorage.builder(SharedRedis.redis())
                .keyPrefix(prefix)
                .timeout(timeout)
                .build();
        Decision first = here.decide(pool, "key", 1);
        Decision second = here.decide(pool, "key", 1);
        redis.cut = true;
        first.close();
        second.close();
        assertThat(there.peek(pool, "key").remaining()).isZero();
        redis.cut = false;
        await(() -> there.peek(pool, "key").remaining() == 2);
    }

    @Test
    void whatIsTakenByACallWithoutAnAnswerIsReleased() {
        Rule pool = Rule.of("pool", Limit.concurrency(2));
        FailoverRateLimiterStorage storage = storage(1);
        CompletableFuture<Void> lost = new CompletableFuture<>();
        redis.heard = lost;
        CompletableFuture<Decision> answer = storage.decideAsync(List.of(pool.charge("key")));
        RedisRateLimiterStorage there = RedisRateLimiterStorage.builder(SharedRedis.redis())
                .keyPrefix(prefix)
                .timeout(timeout)
                .build();
        await(() -> there.peek(pool, "key").remaining() == 1);
        redis.heard = CompletableFuture.completedFuture(null);
        lost.completeExceptionally(new IllegalStateException("cut"));
        answer.join().close();
        await(() -> there.peek(pool, "key").remaining() == 2);
    }

    @Test
    void eachLimitReleasesItsOwnOfACallWithoutAnAnswer() {
        Rule pool = Rule.of(
                "pool",
                Limit.concurrency(10).named("running"),
                Limit.concurrency(10).named("waiting"),
                Limit.fixedWindow(10, DAY).named("daily"));
        FailoverRateLimiterStorage storage = storage(1);
        FailoverRateLimiterStorage there = storage(1);
        CompletableFuture<Void> lost = new CompletableFuture<>();
        redis.heard = lost;
        Charge charge = pool.charge("key").costing("running", 4).costing("waiting", 0);
        CompletableFuture<Decision> answer = storage.decideAsync(List.of(charge));
        redis.heard = CompletableFuture.completedFuture(null);
        await(() -> there.peek(pool, "key").limits().get(0).remaining() == 6);
        assertLeft(there, pool, 6, 10, 9);
        lost.completeExceptionally(new IllegalStateException("cut"));
        answer.join().close();
        await(() -> there.peek(pool, "key").limits().get(0).remaining() == 10);
        assertLeft(there, pool, 10, 10, 9);
    }

    static Stream<Limit> refusingForLong() {
        return Stream.of(
                Limit.fixedWindow(5, DAY),
                Limit.slidingWindowLog(5, DAY),
                Limit.calendarWindow(5, Period.ofDays(1), ZoneOffset.UTC));
    }

    /** A second, as {@code KnownRefusalsTests} shows by a clock of its own. */
    @ParameterizedTest
    @MethodSource("refusingForLong")
    void aRefusalIsNotBelievedForLong(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        FailoverRateLimiterStorage here = storage(1);
        FailoverRateLimiterStorage there = storage(1);
        Decision all = here.decide(rule, "key", 5);
        assertThat(there.decide(rule, "key", 1).permitted()).isFalse();
        all.giveBack();
        await(() -> there.decide(rule, "key", 1).permitted());
        // refusals of others by what is known end with it
        assertThat(there.decide(rule, "key", 1).permitted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("refusingForLong")
    void aRefusalDoesNotOutliveAResetForLong(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        FailoverRateLimiterStorage here = storage(1);
        FailoverRateLimiterStorage there = storage(1);
        here.decide(rule, "key", 5);
        assertThat(there.decide(rule, "key", 1).permitted()).isFalse();
        here.reset(rule, "key");
        await(() -> there.decide(rule, "key", 5).permitted());
    }
}
