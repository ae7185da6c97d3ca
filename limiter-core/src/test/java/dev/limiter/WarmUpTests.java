package dev.limiter;

import static dev.limiter.VirtualTime.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Limits that are slow at first, at any rate, for waiting and polling clients. */
class WarmUpTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters = TestedStorage.limiters(time);

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(1, SECOND.multipliedBy(10)).warmUp(SECOND.multipliedBy(300)),
                Limit.leakyBucket(10, SECOND).paced().warmUp(SECOND.multipliedBy(10)),
                Limit.leakyBucket(7, SECOND).paced().warmUp(Duration.ofMillis(9_001)),
                Limit.tokenBucket(100_000, SECOND).warmUp(Duration.ofMillis(5)),
                Limit.tokenBucket(99_991, SECOND).warmUp(Duration.ofMillis(3)));
    }

    private static long warmUp(Limit limit) {
        return limit instanceof Limit.TokenBucket token
                ? token.warmUp().toNanos()
                : ((Limit.LeakyBucket) limit).warmUp().toNanos();
    }

    private static double interval(Limit limit) {
        return (double) limit.window().toNanos() / limit.limit();
    }

    /** Returns how many permits a cold limit grants until it is warm. */
    private static int permitsToWarm(Limit limit) {
        return (int) Math.ceil(warmUp(limit) / interval(limit) / 2);
    }

    /** Returns when a client that waits for each turn is permitted, in nanoseconds from the first. */
    private List<Long> waiting(Rule rule, int count) {
        List<Long> departures = new ArrayList<>();
        long start = time.now();
        for (int i = 0; i < count; i++) {
            Decision decision =
                    limiters.storage().decide(List.of(rule.charge("key").maxWait(Duration.ofDays(1))));
            assertThat(decision.permitted()).isTrue();
            time.advance(decision.delay());
            departures.add(time.now() - start);
        }
        return departures;
    }

    /** The same for a client that retries at the retry time, plus a delay. */
    private List<Long> polling(Rule rule, int count, long late) {
        List<Long> departures = new ArrayList<>();
        long start = time.now();
        while (departures.size() < count) {
            Decision decision = limiters.tryAcquire(rule, "key");
            if (decision.permitted()) {
                departures.add(time.now() - start);
            } else {
                time.advance(decision.retryAfter().orElseThrow().plusNanos(late));
            }
        }
        return departures;
    }

    private static List<Long> gaps(List<Long> departures) {
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < departures.size(); i++) {
            gaps.add(departures.get(i) - departures.get(i - 1));
        }
        return gaps;
    }

    @ParameterizedTest
    @MethodSource("limits")
    void startsWithAThirdAndClimbsInTime(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        int cold = permitsToWarm(limit);
        List<Long> departures = waiting(rule, 4 * cold);
        List<Long> gaps = gaps(departures);

        assertThat(gaps.get(0) / interval(limit)).isBetween(3 - 2.0 / cold, 3.0);
        for (int i = 1; i < gaps.size(); i++) {
            // times are rounded to whole steps
            assertThat(gaps.get(i)).isLessThanOrEqualTo(gaps.get(i - 1) + STEP);
        }
        assertThat(departures.get(cold)).isCloseTo(warmUp(limit), within((long) interval(limit) + STEP));
        assertThat(gaps.subList(cold, gaps.size()))
                .allSatisfy(gap -> assertThat((double) gap).isCloseTo(interval(limit), within((double) STEP)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void keepsTheRateToTheNanosecondWhenWarm(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        waiting(rule, permitsToWarm(limit) + 1);
        List<Long> departures = waiting(rule, 1001);
        double took = departures.get(1000) - departures.get(0);
        assertThat(took).isCloseTo(1000 * interval(limit), within((double) STEP));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void pollingIsPermittedWhenWaitingIs(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        int count = 3 * permitsToWarm(limit);
        List<Long> waiting = waiting(rule, count);
        limiters.reset(rule, "key");
        List<Long> polling = polling(rule, count, 0);
        for (int i = 0; i < count; i++) {
            // retries at whole steps, and each starts again; if time is counted in parts of a step, the idle time in
            // between costs as much again
            assertThat(polling.get(i) - waiting.get(i)).isBetween(0L, i * STEP * Math.min(STEP, 2));
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void latePollingKeepsTheLimitWarm(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        waiting(rule, permitsToWarm(limit) + 1);
        long late = (long) (interval(limit) * 0.9);
        List<Long> gaps = gaps(polling(rule, 500, late));
        assertThat(gaps.subList(1, gaps.size()))
                .allSatisfy(gap -> assertThat((double) gap).isCloseTo(interval(limit) + late, within((double) STEP)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void isNeverAboveTheRate(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        SplittableRandom random = new SplittableRandom(7);
        long most = Math.min(limit.capacity(), 3);
        long earliest = 0;
        int waited = 0;
        for (int i = 0; i < 3000; i++) {
            long permits = 1 + random.nextLong(most);
            long maxWait = random.nextBoolean() ? 0 : (long) (random.nextDouble() * 9 * interval(limit));
            Decision decision = limiters.storage()
                    .decide(List.of(rule.charge("key", permits).maxWait(Duration.ofNanos(maxWait))));
            if (decision.permitted()) {
                time.advance(decision.delay());
                assertThat(time.now()).isGreaterThanOrEqualTo(earliest);
                earliest = time.now() + (long) (permits * interval(limit)) - STEP;
                waited += decision.delay().isZero() ? 0 : 1;
            }
            double idle = random.nextInt(20) == 0 ? warmUp(limit) : random.nextInt(3) * interval(limit) / 2;
            time.advance((long) (random.nextDouble() * idle));
        }
        assertThat(waited).isGreaterThan(300);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void halfOfTheIdleTimeKeepsItWarmAndTheRestCoolsInProportion(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        double interval = interval(limit);
        double warmUp = warmUp(limit);
        for (double share : new double[] {0.3, 0.5, 0.75, 0.9, 1, 5}) {
            waiting(rule, permitsToWarm(limit) * 3);
            // the rest that earlier permits used up also comes back; the last one's interval is not rest
            time.advance((long) (interval + share * warmUp));
            double rest = Math.min(share * warmUp, warmUp);
            double above = Math.max(rest - warmUp / 2, 0);
            double after = Math.max(rest - interval - warmUp / 2, 0);
            double expected = interval + 2 * (above * above - after * after) / warmUp;
            assertThat((double) gaps(waiting(rule, 2)).get(0))
                    .as("after %s of the time", share)
                    .isCloseTo(expected, within(2.0 * STEP));
        }
    }

    private List<Double> seconds(Rule rule, int count) {
        List<Double> delays = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Decision decision =
                    limiters.storage().decide(List.of(rule.charge("key").maxWait(Duration.ofSeconds(10))));
            delays.add(decision.delay().toNanos() / 1e9);
            time.advance(decision.delay());
        }
        return delays;
    }

    /** Guava, RateLimiterTest.testWarmUp, which rounds to hundredths. */
    @Test
    void waitsAsGuavasWarmingUpLimiter() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(2, SECOND).warmUp(SECOND.multipliedBy(4)));
        Double[] cold = {0.0, 1.375, 1.125, 0.875, 0.625, 0.5, 0.5, 0.5};

        assertThat(seconds(rule, 8)).containsExactly(cold);
        time.advance(Duration.ofMillis(500));
        time.advance(SECOND.multipliedBy(4));
        assertThat(seconds(rule, 8)).containsExactly(cold);
        time.advance(Duration.ofMillis(500));
        time.advance(SECOND.multipliedBy(2));
        assertThat(seconds(rule, 8)).containsExactly(0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5);
    }

    /** Guava, RateLimiterTest.testWarmUpAndUpdate: the rate doubles during the warm-up. */
    @Test
    void waitsAsGuavasWarmingUpLimiterWhenTheRateChanges() {
        Rule slow = Rule.of("rule", Limit.tokenBucket(2, SECOND).warmUp(SECOND.multipliedBy(4)));
        Rule fast = Rule.of("rule", Limit.tokenBucket(4, SECOND).warmUp(SECOND.multipliedBy(4)));

        assertThat(seconds(slow, 8)).containsExactly(0.0, 1.375, 1.125, 0.875, 0.625, 0.5, 0.5, 0.5);
        time.advance(Duration.ofMillis(4500));
        assertThat(seconds(slow, 3)).containsExactly(0.0, 1.375, 1.125);
        assertThat(seconds(fast, 5)).containsExactly(0.875, 0.34375, 0.28125, 0.25, 0.25);
        time.advance(Duration.ofMillis(4250));
        assertThat(seconds(fast, 11))
                .containsExactly(
                        0.0, 0.71875, 0.65625, 0.59375, 0.53125, 0.46875, 0.40625, 0.34375, 0.28125, 0.25, 0.25);
    }

    /**
     * Sentinel, WarmUpControllerTest: ten per second with a warm-up of ten seconds; eight pass when warm but not when
     * cold, and never more than ten.
     */
    @Test
    void permitsAsManyPerSecondAsSentinelsController() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, SECOND).warmUp(SECOND.multipliedBy(10)));
        assertThat(inASecond(rule)).isBetween(1L, 4L);
        for (int i = 0; i < 10; i++) {
            assertThat(inASecond(rule)).isLessThanOrEqualTo(10);
        }
        assertThat(inASecond(rule)).isEqualTo(10);
    }

    private long inASecond(Rule rule) {
        long permitted = 0;
        for (int i = 0; i < 100; i++) {
            permitted += limiters.tryAcquire(rule, "key").permitted() ? 1 : 0;
            time.advance(Duration.ofMillis(10));
        }
        return permitted;
    }

    /** In Redis, turns can be computed further ahead. */
    @Test
    @Tag(MemoryPromises.TAG)
    void rejectionForATurnTooFarAheadEndsWhenItIsNotAnyMore() {
        Rule both = Rule.of(
                "both",
                Limit.tokenBucket(999, SECOND).warmUp(SECOND).named("warm"),
                Limit.tokenBucket(2, Duration.ofDays(30)).named("slow"));
        Charge charge = both.charge("key").maxWait(Duration.ofDays(400));
        for (int i = 0; i < 2; i++) {
            assertThat(limiters.tryAcquire(both, "key").permitted()).isTrue();
            time.advance(SECOND);
        }
        Decision rejected = limiters.storage().decide(List.of(charge));
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.delay()).isZero();
        Duration wait = rejected.retryAfter().orElseThrow();
        assertThat(wait).isBetween(Duration.ofDays(1), Duration.ofDays(2));

        time.advance(wait.minusNanos(1));
        assertThat(limiters.storage().decide(List.of(charge)).retryAfter()).contains(Duration.ofNanos(1));
        time.advance(1);
        Decision granted = limiters.storage().decide(List.of(charge));
        assertThat(granted.permitted()).isTrue();
        assertThat(granted.delay()).isEqualTo(Duration.ofDays(15).minus(wait).minus(SECOND.multipliedBy(2)));
    }
}
