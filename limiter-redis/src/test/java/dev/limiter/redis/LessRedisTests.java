package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.memory.Threads;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RealTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Callers that share calls, rejections without a call, and leases: on a real server, with its clock. */
@Tag("race")
class LessRedisTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final AtomicInteger PREFIXES = new AtomicInteger();

    private final AtomicLong calls = new AtomicLong();

    /** Called before states are reset. */
    private Runnable resetting = () -> {};

    /** Completes when replies may arrive. */
    private CompletableFuture<?> heard = CompletableFuture.completedFuture(null);

    private final String prefix = "less-" + PREFIXES.incrementAndGet() + ":";
    private final List<RedisRateLimiterStorage> storages = new ArrayList<>();

    private RedisRateLimiterStorage storage(int lease) {
        RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(counting(SharedRedis.redis()))
                .keyPrefix(prefix)
                .timeout(Duration.ofSeconds(10))
                .lease(rule -> lease)
                .build();
        storages.add(storage);
        return storage;
    }

    private Redis counting(Redis redis) {
        return new FakeRedis() {
            @Override
            public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
                calls.incrementAndGet();
                if (script.equals(Scripts.RESET)) {
                    resetting.run();
                }
                return redis.run(script, keys, arguments).thenCombine(heard, (answer, then) -> answer);
            }
        };
    }

    @AfterEach
    void close() {
        storages.forEach(RedisRateLimiterStorage::close);
    }

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(100, SECOND).burst(10),
                Limit.leakyBucket(100, SECOND).burst(10),
                Limit.leakyBucket(100, SECOND).paced(),
                Limit.fixedWindow(100, SECOND),
                Limit.fixedWindow(100, SECOND).alignFirst(),
                Limit.slidingWindowCounter(100, SECOND),
                Limit.slidingWindowLog(100, SECOND));
    }

    @Test
    void aChargeOfOneLimitOnlyIsNeitherLeasedNorRejectedForAnother() {
        Duration day = Duration.ofDays(1);
        Rule rule = Rule.of(
                "rule",
                Limit.fixedWindow(1000, day).named("requests"),
                Limit.fixedWindow(1000, day).named("bytes"));
        RedisRateLimiterStorage storage = storage(20);
        List<Charge> empty = List.of(rule.charge("key").cost("bytes", 0));
        for (int i = 0; i < 10; i++) {
            assertThat(storage.decide(empty).permitted()).isTrue();
        }
        assertThat(storage.peek(rule, "key").limits())
                .extracting(LimitStatus::remaining)
                .containsExactly(990L, 1000L);
        storage.decide(List.of(rule.charge("key").cost("bytes", 1000)));
        for (int i = 0; i < 3; i++) {
            assertThat(storage.decide(rule, "key", 1).permitted()).isFalse();
            assertThat(storage.decide(empty).permitted()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0.05, 0.05", "4, 0.35, 0.15"})
    void clientsAtTenTimesTheirLimitSeldomReachRedis(int instances, double ofBuckets, double ofWindows) {
        rejectionsOfRedis(instances).forEach((limit, share) -> {
            boolean bucket = limit instanceof Limit.TokenBucket || limit instanceof Limit.LeakyBucket;
            assertThat(share).as(limit.toString()).isLessThanOrEqualTo(bucket ? ofBuckets : ofWindows);
        });
    }

    /** All limits at the same time, which takes three seconds, mostly of waiting. */
    private static Map<Limit, Double> rejectionsOfRedis(int instances) {
        Map<Limit, Double> shares = new ConcurrentHashMap<>();
        List<LessRedisTests> tests = limits().map(limit -> new LessRedisTests()).toList();
        List<Limit> limits = limits().toList();
        List<Callable<Boolean>> clients = IntStream.range(0, limits.size())
                .<Callable<Boolean>>mapToObj(i -> () -> {
                    shares.put(limits.get(i), tests.get(i).rejectionsOfRedis(limits.get(i), instances));
                    return true;
                })
                .toList();
        try (Threads threads = new Threads()) {
            threads.race(clients);
        }
        tests.forEach(LessRedisTests::close);
        assertThat(shares).hasSize(limits.size());
        return shares;
    }

    /**
     * For three seconds, sends ten requests per permit, evenly spaced, to one instance after the other. Returns the
     * fraction that Redis rejects. The number of grants depends on the actual duration.
     */
    private double rejectionsOfRedis(Limit limit, int instances) {
        Rule rule = Rule.of("rule", limit);
        for (int i = 0; i < instances; i++) {
            storage(0);
        }
        storages.get(0).decide(rule, "warm", 1);
        calls.set(0);
        long start = System.nanoTime();
        int requests = 3000;
        int granted = 0;
        for (int i = 0; i < requests; i++) {
            RealTime.passUntil(start + i * 1_000_000L);
            granted += storages.get(i % instances).decide(rule, "key", 1).permitted() ? 1 : 0;
        }
        return (double) (calls.get() - granted) / requests;
    }

    @Test
    void rejectsWithoutACallIfRedisWouldReject() {
        RedisRateLimiterStorage storage = storage(0);
        Rule rule = Rule.of("rule", Limit.fixedWindow(2, Duration.ofDays(1)));
        storage.decide(rule, "key", 1);
        long start = System.nanoTime();
        storage.decide(rule, "key", 1);
        calls.set(0);
        Decision known = storage.decide(rule, "key", 1);
        assertThat(known.permitted()).isFalse();
        assertThat(known.remaining()).isZero();
        assertThat(known.retryAfter()).isPresent();
        assertThat(calls).hasValue(0);
        Decision asked = storage.peek(rule, "key");
        assertThat(calls).hasValue(1);
        // counts from the reply of Redis, so it is late by the duration of that call, but never early
        Duration passed = Duration.ofNanos(System.nanoTime() - start);
        Duration rest = asked.retryAfter().orElseThrow();
        assertThat(known.retryAfter().orElseThrow()).isBetween(rest.minus(passed), rest.plus(passed));
        assertThat(known.limits()).hasSize(1);
    }

    static Stream<Limit> limitsWithAndWithoutTurns() {
        Duration day = Duration.ofDays(1);
        return Stream.of(
                Limit.fixedWindow(2, day),
                Limit.fixedWindow(2, day).alignFirst(),
                Limit.slidingWindowCounter(2, day),
                Limit.slidingWindowLog(2, day),
                Limit.tokenBucket(2, day),
                Limit.leakyBucket(2, day),
                Limit.leakyBucket(2, day).paced(),
                Limit.leakyBucket(3, day).burst(1).paced());
    }

    /** A bucket has turns ahead, a paced one only as many as may wait, and a fixed window those of the next window. */
    @ParameterizedTest
    @MethodSource("limitsWithAndWithoutTurns")
    void rejectionsOfWaitingRequestsEqualThoseOfRedis(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        for (Duration patience : List.of(
                Duration.ofMinutes(10),
                Duration.ofHours(7),
                Duration.ofHours(10),
                Duration.ofHours(25),
                Duration.ofDays(3))) {
            RedisRateLimiterStorage storage = storage(0);
            Charge charge = rule.charge("key" + patience).maxWait(patience);
            Decision known = storage.decide(List.of(charge));
            for (int i = 0; i < 20 && known.permitted(); i++) {
                known = storage.decide(List.of(charge));
            }
            Decision asked = storage(0).decide(List.of(charge));
            assertThat(asked.permitted()).isFalse();
            assertThat(known.retryAfter().orElseThrow())
                    .as("%s with %s", limit, patience)
                    .isCloseTo(asked.retryAfter().orElseThrow(), Duration.ofMinutes(1));
        }
    }

    /** The reply to a grant contains the time until one permit is available, but these need ten. */
    @Test
    void aRejectionAfterAGrantOfSeveralHasTheTimeForAsMany() {
        RedisRateLimiterStorage storage = storage(0);
        Duration hour = Duration.ofHours(1);
        Rule rule = Rule.of(
                "rule",
                Limit.tokenBucket(2, hour).burst(20).named("bucket"),
                Limit.slidingWindowLog(20, hour).named("log"));
        assertThat(storage.decide(rule, "key", 10).permitted()).isTrue();
        assertThat(storage.decide(rule, "key", 10).permitted()).isTrue();
        for (int i = 0; i < 2; i++) {
            assertThat(storage.decide(rule, "key", 10).retryAfter().orElseThrow())
                    .isGreaterThan(hour.multipliedBy(4));
        }
        assertThat(calls).hasValue(3);
    }

    @Test
    void callsRedisAgainAfterRefundAndReset() {
        RedisRateLimiterStorage storage = storage(0);
        Rule rule = Rule.of("rule", Limit.fixedWindow(1, Duration.ofDays(1)));
        for (int i = 0; i < 100; i++) {
            Decision decision = storage.decide(rule, "key", 1);
            assertThat(decision.permitted()).isTrue();
            decision.giveBack();
        }
        assertThat(storage.decide(rule, "key", 1).permitted()).isTrue();
        assertThat(storage.decide(rule, "key", 1).permitted()).isFalse();
        storage.reset(rule, "key");
        assertThat(storage.decide(rule, "key", 1).permitted()).isTrue();
    }

    @Test
    void aRejectionReceivedAfterARefundIsNotStored() {
        RedisRateLimiterStorage storage = storage(0);
        Rule rule = Rule.of("rule", Limit.fixedWindow(1, Duration.ofDays(1)));
        Decision taken = storage.decide(List.of(rule.charge("key")));
        CompletableFuture<Void> late = new CompletableFuture<>();
        heard = late;
        // another request, not yet known to be rejected
        CompletableFuture<Decision> rejected =
                storage.decideAsync(List.of(rule.charge("key").maxWaiting(1)));
        heard = CompletableFuture.completedFuture(null);
        taken.giveBack();
        late.complete(null);
        assertThat(rejected.join().permitted()).isFalse();
        assertThat(storage.decide(List.of(rule.charge("key").maxWaiting(1))).permitted())
                .isTrue();
    }

    @Test
    void aRejectionOfSeveralChargesAppliesToTheSameCharges() {
        RedisRateLimiterStorage storage = storage(0);
        Rule small = Rule.of("small", Limit.fixedWindow(1, Duration.ofDays(1)));
        Rule large = Rule.of("large", Limit.slidingWindowLog(10, Duration.ofDays(1)));
        var both = List.of(small.charge("key"), large.charge("key"));
        assertThat(storage.decide(both).permitted()).isTrue();
        calls.set(0);
        Decision rejected = storage.decide(both);
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.rule()).isEqualTo(small);
        assertThat(rejected.parts()).extracting(Decision::permitted).containsExactly(false, true);
        assertThat(rejected.limits()).hasSize(2);
        assertThat(calls).hasValue(0);
        assertThat(storage.decide(large, "key", 1).permitted()).isTrue();
    }

    static Stream<Limit> countedLimits() {
        Duration day = Duration.ofDays(1);
        return Stream.of(
                Limit.tokenBucket(1000, day),
                Limit.fixedWindow(1000, day),
                Limit.slidingWindowCounter(1000, day),
                Limit.slidingWindowLog(1000, day));
    }

    @ParameterizedTest
    @MethodSource("countedLimits")
    void callersThatShareCallsGetExactlyTheLimit(Limit limit) {
        assertThat(granted(limit, 0, 2, 8, 400)).isEqualTo(1000);
    }

    @ParameterizedTest
    @MethodSource("countedLimits")
    void leasedPermitsNeverExceedTheLimit(Limit limit) {
        assertThat(granted(limit, 5, 2, 8, 400)).isBetween(900L, 1000L);
        assertThat(calls.get()).isLessThan(6400 / 4);
    }

    private long granted(Limit limit, int lease, int instances, int threads, int each) {
        Rule rule = Rule.of("rule", limit);
        return Stream.generate(() -> storage(lease))
                .limit(instances)
                .map(storage -> CompletableFuture.supplyAsync(
                        () -> granted(rule, storage, threads, each), task -> new Thread(task).start()))
                .toList()
                .stream()
                .mapToLong(CompletableFuture::join)
                .sum();
    }

    private static long granted(Rule rule, RedisRateLimiterStorage storage, int threads, int each) {
        AtomicLong granted = new AtomicLong();
        CountDownLatch start = new CountDownLatch(threads);
        Runnable asking = () -> {
            start.countDown();
            while (start.getCount() > 0) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < each; i++) {
                if (storage.decide(rule, "key", 1).permitted()) {
                    granted.incrementAndGet();
                }
            }
        };
        CompletableFuture.allOf(Stream.generate(() -> asking)
                        .limit(threads)
                        .map(task -> CompletableFuture.runAsync(task, one -> new Thread(one).start()))
                        .toArray(CompletableFuture[]::new))
                .join();
        return granted.get();
    }

    @Test
    void expiredLeasesAreRefunded() {
        RedisRateLimiterStorage storage = storage(10);
        Rule longer = Rule.of(
                "longer", Limit.fixedWindow(1000, Duration.ofSeconds(20)).alignFirst());
        storage.decide(longer, "key", 1);
        long kept = 999 - storage.peek(longer, "key").remaining();
        assertThat(kept).isEqualTo(100);
        Conditions.await(() -> {
            storage.cleanUp();
            return storage.peek(longer, "key").remaining() == 999;
        });
    }

    @Test
    void leasesShrinkNearTheLimit() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(1000, Duration.ofDays(1)));
        RedisRateLimiterStorage storage = storage(50);
        storage(0).decide(rule, "key", 900);
        storage.decide(rule, "key", 1);
        // an eighth of what is left
        assertThat(storage.peek(rule, "key").remaining()).isEqualTo(100 - 12);
    }

    @Test
    void leasesEndWithTheirWindow() {
        Rule rule =
                Rule.of("rule", Limit.fixedWindow(1000, Duration.ofMillis(600)).alignFirst());
        RedisRateLimiterStorage storage = storage(50);
        RedisRateLimiterStorage other = storage(0);
        other.decide(rule, "key", 1);
        // the lease time, half of the window, ends later than the window itself
        Conditions.await(() -> other.peek(rule, "key").resetAfter().compareTo(Duration.ofMillis(200)) <= 0);
        RealTime.pass(storage.decide(rule, "key", 1).resetAfter());
        calls.set(0);
        storage.decide(rule, "key", 1);
        assertThat(calls.get()).isPositive();
    }

    /** The limits of a tier or an override. */
    @Test
    void leasesUnderOtherLimitsOfTheRuleDoNotOutliveAReset() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(100, Duration.ofDays(1)).alignFirst());
        Rule gold = Rule.of("rule", Limit.fixedWindow(1000, Duration.ofDays(1)).alignFirst());
        RedisRateLimiterStorage storage = storage(5);
        storage.decide(gold, "key", 1);
        storage.decide(gold, "other", 1);
        storage.reset(rule, "key");
        storage.decide(gold, "key", 1);
        assertThat(storage.peek(gold, "key").remaining()).isEqualTo(949);
        calls.set(0);
        storage.decide(gold, "other", 1);
        assertThat(calls).hasValue(0);
    }

    @Test
    void leasesFetchedDuringAResetDoNotOutliveIt() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(1000, Duration.ofDays(1)).alignFirst());
        RedisRateLimiterStorage storage = storage(5);
        resetting = () -> storage.decide(rule, "key", 1);
        storage.reset(rule, "key");
        assertThat(storage.peek(rule, "key").remaining()).isEqualTo(1000);
        storage.decide(rule, "key", 1);
        storage.giveBackKept();
        assertThat(storage.peek(rule, "key").remaining()).isEqualTo(999);
    }

    /** While other threads refund leases, and Redis replies at any time. */
    @Test
    void noLeasedPermitIsLostOrUsedTwice() {
        long limit = 5_000_000;
        Rule rule = Rule.of("rule", Limit.fixedWindow(limit, Duration.ofDays(1)).alignFirst());
        RedisRateLimiterStorage storage = storage(1);
        CompletableFuture<Long> granted = CompletableFuture.supplyAsync(
                () -> granted(rule, storage, 8, 250_000), task -> new Thread(task).start());
        while (!granted.isDone()) {
            storage.giveBackKept();
            RealTime.pass(Duration.ofNanos(500_000));
        }
        // earlier calls have completed when this one has
        storage.peek(rule, "key");
        storage.giveBackKept();
        assertThat(granted.join()).isEqualTo(8 * 250_000);
        assertThat(storage.peek(rule, "key").remaining()).isEqualTo(limit - granted.join());
    }

    @Test
    void aBoundedNumberOfKeysIsLeasedAndAllRefundedWhenClosed() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(1000, Duration.ofDays(1)));
        RedisRateLimiterStorage first = storage(10);
        int keys = Leases.MAX_KEYS + 100;
        List<CompletableFuture<Decision>> decisions = IntStream.range(0, keys)
                .mapToObj(key -> first.decideAsync(List.of(rule.charge("key" + key))))
                .toList();
        decisions.forEach(CompletableFuture::join);
        RedisRateLimiterStorage second = storage(0);
        assertThat(second.peek(rule, "key0").remaining()).isEqualTo(899);
        first.decide(rule, "one more", 1);
        assertThat(second.peek(rule, "one more").remaining()).isEqualTo(999);
        first.close();
        for (int key = 0; key < keys; key += 50) {
            assertThat(second.peek(rule, "key" + key).remaining()).isEqualTo(999);
        }
    }

    @Test
    void closingGivesUpSoonIfTheServerHangs() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(1000, Duration.ofDays(1)));
        HeldRedis held = new HeldRedis(SharedRedis.redis());
        RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(held)
                .keyPrefix(prefix)
                .timeout(Duration.ofMillis(200))
                .lease(each -> 10)
                .build();
        for (int key = 0; key < 1000; key++) {
            try {
                storage.decide(rule, "key" + key, 1);
            } catch (StorageUnavailableException busy) {
                // a few on a busy machine
            }
        }
        held.hold();
        storage.close();
        assertThat(held.calls()).hasSizeLessThan(300);
    }

    @Test
    void countsSavedCallsAndLostRefunds() {
        StorageStatistics statistics = new StorageStatistics();
        HeldRedis held = new HeldRedis(SharedRedis.redis());
        RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(held)
                .keyPrefix(prefix)
                .timeout(Duration.ofSeconds(10))
                .lease(rule -> 10)
                .statistics(statistics)
                .build();
        storages.add(storage);
        Rule leased = Rule.of("leased", Limit.tokenBucket(1000, Duration.ofDays(1)));
        for (int i = 0; i < 10; i++) {
            storage.decide(leased, "key", 1);
        }
        assertThat(statistics.leaseHits()).isEqualTo(9);
        assertThat(statistics.calls()).isEqualTo(1);
        assertThat(statistics.requests()).isEqualTo(1);
        Rule one = Rule.of("one", Limit.fixedWindow(1, Duration.ofDays(1)));
        Decision taken = storage.decide(one, "key", 1);
        storage.decide(one, "key", 1);
        assertThat(statistics.knownRejections()).isEqualTo(1);
        held.fail(new StorageUnavailableException("gone", null));
        taken.giveBack();
        Conditions.await(() -> statistics.lostReturns() == 1);
    }
}
