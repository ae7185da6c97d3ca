package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.Conditions;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two instances wait for the same limits, each with its own waiting room. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final AtomicInteger PREFIXES = new AtomicInteger();

    private final String prefix = "waiting-" + PREFIXES.incrementAndGet();
    private final VirtualTime time = new VirtualTime();
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private final Rule paced =
            Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced());

    private RateLimiters byTheServersClock() {
        return new RateLimiters(RedisStorageProvider.of(null, prefix));
    }

    private RateLimiters byVirtualTime() {
        return new RateLimiters(RedisStorageProvider.of(time, prefix));
    }

    @Test
    void oneInstanceWaitsUntilTheOtherReleases() {
        RateLimiters here = byTheServersClock();
        RateLimiters there = byTheServersClock();
        Decision held = here.acquire(pool, "key", HOUR);
        for (int i = 0; i < 10; i++) {
            RateLimiters waiting = i % 2 == 0 ? there : here;
            CompletableFuture<Decision> next = waiting.acquireAsync(pool, "key", HOUR);
            Conditions.await(() -> waiting.waiting() == 1);
            assertThat(next).isNotDone();

            held.close();

            held = next.join();
            assertThat(held.permitted()).isTrue();
            assertThat(here.tryAcquire(pool, "key").permitted()).isFalse();
        }
        held.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void turnsOfAllInstancesAreEvenlySpaced(boolean oneGivesUp) {
        List<RateLimiters> instances = List.of(byVirtualTime(), byVirtualTime());
        List<CompletableFuture<Decision>> futures = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            futures.add(instances.get(i % 2).acquireAsync(paced, "key", HOUR));
        }
        Conditions.await(
                () -> instances.stream().mapToInt(RateLimiters::waiting).sum() == 19);
        if (oneGivesUp) {
            CompletableFuture<Decision> waiting = futures.stream()
                    .filter(future -> !future.isDone())
                    .findFirst()
                    .orElseThrow();
            waiting.cancel(false);
            futures.remove(waiting);
        }
        for (int second = 1; second < 20; second++) {
            time.advance(SECOND);
            int left = 19 - second;
            Conditions.await(
                    () -> instances.stream().mapToInt(RateLimiters::waiting).sum() <= left);
            assertThat(instances.stream().mapToInt(RateLimiters::waiting).sum())
                    .as("turns are exact and do not move")
                    .isEqualTo(left);
        }
        List<Duration> delays = futures.stream()
                .map(CompletableFuture::join)
                .map(Decision::delay)
                .sorted()
                .toList();
        assertThat(delays).doesNotHaveDuplicates().hasSize(futures.size());
        assertThat(delays).allMatch(delay -> delay.toNanosPart() == 0);
        assertThat(delays.get(delays.size() - 1)).isLessThanOrEqualTo(SECOND.multipliedBy(19));
    }

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(1, SECOND),
                Limit.tokenBucket(1, SECOND).warmUp(SECOND),
                Limit.leakyBucket(1, SECOND).burst(100).paced(),
                Limit.fixedWindow(1, SECOND),
                Limit.fixedWindow(1, SECOND).alignFirst(),
                Limit.calendarWindow(1, Period.ofDays(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(1, SECOND),
                Limit.slidingWindowLog(1, SECOND),
                Limit.concurrency(1));
    }

    /** Returns the limits with turns: no request waits for a window that starts with its first request. */
    static Stream<Limit> limitsToWaitFor() {
        return limits().filter(limit -> !(limit instanceof Limit.FixedWindow window && window.alignedToFirst()));
    }

    /** Takes no place in the queue, no turn and no permit: another request gets the only place afterwards. */
    @ParameterizedTest
    @MethodSource("limitsToWaitFor")
    void aRequestThatAnotherRuleRejectsTakesNoPlace(Limit limit) {
        RateLimiters limiters = byVirtualTime();
        Rule rule = Rule.of("rule", limit);
        Rule quota = Rule.of("quota", Limit.fixedWindow(1, Duration.ofDays(10)).alignFirst());
        Charge waiting = rule.charge("key").maxWait(Duration.ofDays(2)).maxWaiting(1);
        List<Charge> both = List.of(waiting, quota.charge());
        assertThat(limiters.tryAcquire(quota.charge()).permitted()).isTrue();

        assertThat(limiters.acquireAsync(both, () -> true).join().permitted()).isFalse();
        assertThat(limiters.peek(rule, "key").remaining()).isEqualTo(1);

        Decision held = limiters.tryAcquire(rule, "key");
        assertThat(held.permitted()).isTrue();
        assertThat(limiters.acquireAsync(both, () -> true).join().permitted()).isFalse();
        assertThat(limiters.waiting()).isZero();

        CompletableFuture<Decision> next = limiters.acquireAsync(List.of(waiting), () -> true);
        Conditions.await(() -> limiters.waiting() == 1);
        // behind another one
        Charge second = waiting.maxWaiting(2);
        assertThat(limiters.acquireAsync(List.of(second, quota.charge()), () -> true)
                        .join()
                        .permitted())
                .isFalse();
        assertThat(limiters.waiting()).isEqualTo(1);
        held.close();
        time.advance(Duration.ofDays(1));
        assertThat(next.join().permitted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void anUnlimitedWaitIsDecidedAsInMemory(Limit limit) {
        Rule rule = Rule.of("forever", limit);
        RateLimiterStorage redis = RedisStorageProvider.of(time, prefix);
        RateLimiterStorage memory = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);
        for (Duration wait : List.of(Duration.ofMillis(Long.MAX_VALUE), ChronoUnit.FOREVER.getDuration())) {
            List<Charge> charges = List.of(rule.charge(wait.toString()).maxWait(wait));
            assertThat(redis.decide(charges).permitted()).isTrue();
            Decision expected = memory.decide(charges);
            assertThat(expected.permitted()).isTrue();

            expected = memory.decide(charges);
            Decision second = redis.decide(charges);
            assertThat(second.permitted()).isEqualTo(expected.permitted());
            assertThat(second.delay()).isEqualTo(expected.delay());
        }
    }

    @Test
    void manyWaitingRequestsOnTwoInstancesNeverExceedTheLimit() {
        Rule two = Rule.of("two", Limit.concurrency(2));
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<RateLimiters> instances = List.of(byTheServersClock(), byTheServersClock());
        List<CompletableFuture<Void>> over = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            over.add(instances.get(i % 2).acquireAsync(two, "key", HOUR).thenAccept(decision -> {
                most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                assertThat(decision.permitted()).isTrue();
                inFlight.decrementAndGet();
                decision.close();
            }));
        }
        over.forEach(CompletableFuture::join);
        assertThat(most.get()).isBetween(1, 2);
        Conditions.await(() -> instances.get(0).peek(two, "key").remaining() == 2);
    }

    @Test
    void failsLikeADecisionAndReturnsLateGrants() {
        HeldRedis held = new HeldRedis(SharedRedis.redis());
        held.hold();
        RedisRateLimiterStorage slow = RedisRateLimiterStorage.builder(held)
                .keyPrefix(prefix + ":")
                .timeout(Duration.ofMillis(20))
                .build();
        Rule three = Rule.of("three", Limit.concurrency(3));
        List<Charge> charges = List.of(three.charge("key").maxWait(HOUR));
        RateLimiters limiters = new RateLimiters(slow);
        RateLimiters there = byTheServersClock();

        assertThatThrownBy(() -> limiters.acquire(charges)).isInstanceOf(StorageUnavailableException.class);
        assertThatThrownBy(() -> slow.decide(charges)).isInstanceOf(StorageUnavailableException.class);
        CompletableFuture<Decision> cancelled = slow.decideAsync(charges);
        cancelled.cancel(false);
        Conditions.await(() -> there.peek(three, "key").remaining() == 0);
        held.release();

        Conditions.await(() -> there.peek(three, "key").remaining() == 3);
        assertThat(slow.size()).isZero();
    }
}
