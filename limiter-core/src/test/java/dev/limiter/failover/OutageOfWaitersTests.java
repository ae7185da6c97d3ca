package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.memory.Threads;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A request that would wait gets a turn in an outage as well, behind what the shared storage has granted. */
class OutageOfWaitersTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final VirtualTime time = new VirtualTime();
    private final CommandedStorage remote = new CommandedStorage(time);
    private final RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final FailoverRateLimiterStorage storage =
            FailoverRateLimiterStorage.builder(remote, local).timeSource(time).build();
    private final Rule bucket = Rule.of("rule", Limit.tokenBucket(4, HOUR.multipliedBy(4)));

    private Decision decide(Charge charge) {
        return storage.decide(List.of(charge));
    }

    private List<Duration> delays(Charge charge, int requests) {
        List<Duration> delays = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            Decision decision = decide(charge);
            assertThat(decision.permitted()).as("request " + i).isTrue();
            assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
            delays.add(decision.delay());
        }
        return delays;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void waitersOfABucketHaveTurnsBehindWhatTheSharedStorageHasGranted(boolean leaky) {
        Rule rule = leaky ? Rule.of("rule", Limit.leakyBucket(4, HOUR.multipliedBy(4))) : bucket;
        decide(rule.charge("key", 4));
        time.advance(Duration.ofMinutes(30));
        remote.fail("");
        // whole permits are taken for what the shared storage has granted
        assertThat(delays(rule.charge("key").within(DAY), 6))
                .containsExactly(
                        HOUR,
                        HOUR.multipliedBy(2),
                        HOUR.multipliedBy(3),
                        HOUR.multipliedBy(4),
                        HOUR.multipliedBy(5),
                        HOUR.multipliedBy(6));
        Decision next = decide(rule.charge("key"));
        assertThat(next.permitted()).isFalse();
        assertThat(next.retryAfter()).contains(HOUR.multipliedBy(7));
    }

    @Test
    void aTurnThatComesTooLateIsRefusedAtOnceAndTellsFromWhenItWouldCome() {
        decide(bucket.charge("key", 4));
        remote.fail("");
        delays(bucket.charge("key").within(HOUR.multipliedBy(2)), 2);
        Decision late = decide(bucket.charge("key").within(HOUR.multipliedBy(2)));
        assertThat(late.permitted()).isFalse();
        assertThat(late.delay()).isZero();
        assertThat(late.retryAfter()).contains(HOUR);
        time.advance(HOUR);
        assertThat(decide(bucket.charge("key").within(HOUR.multipliedBy(2))).delay())
                .isEqualTo(HOUR.multipliedBy(2));
    }

    @Test
    void whatIsLeftGoesAtOnceAndTheRestWaits() {
        decide(bucket.charge("key", 2));
        remote.fail("");
        assertThat(delays(bucket.charge("key").within(DAY), 4))
                .containsExactly(Duration.ZERO, Duration.ZERO, HOUR, HOUR.multipliedBy(2));
    }

    /** The line goes on when nothing is left of what the shared storage has granted. */
    @Test
    void waitersAreInLineForLongerThanTheLastAnswerTells() {
        decide(bucket.charge("key", 4));
        remote.fail("");
        delays(bucket.charge("key").within(DAY), 6);
        time.advance(HOUR.multipliedBy(5));
        assertThat(delays(bucket.charge("key").within(DAY), 1)).containsExactly(HOUR.multipliedBy(2));
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "4, 4"})
    void instancesShareTheTurns(int instances, int hours) {
        remote.instances(instances);
        decide(bucket.charge("key", 4));
        remote.fail("");
        assertThat(delays(bucket.charge("key").within(DAY), 2))
                .containsExactly(HOUR.multipliedBy(hours), HOUR.multipliedBy(2L * hours));
    }

    @Test
    void aTurnThatIsGivenUpIsHadByTheNext() {
        decide(bucket.charge("key", 4));
        remote.fail("");
        delays(bucket.charge("key").within(DAY), 1);
        decide(bucket.charge("key").within(DAY)).giveBack();
        assertThat(delays(bucket.charge("key").within(DAY), 1)).containsExactly(HOUR.multipliedBy(2));
    }

    @Test
    void waitersBehindTurnsOfTheSharedStorageWaitForThoseAsWell() {
        for (int i = 0; i < 7; i++) {
            decide(bucket.charge("key").within(DAY));
        }
        remote.fail("");
        assertThat(delays(bucket.charge("key").within(DAY), 2))
                .containsExactly(HOUR.multipliedBy(4), HOUR.multipliedBy(5));
    }

    static List<Arguments> windows() {
        return List.of(
                Arguments.of(Limit.fixedWindow(2, DAY)),
                Arguments.of(Limit.calendarWindow(2, Period.ofDays(1), ZoneOffset.UTC)));
    }

    @ParameterizedTest
    @MethodSource("windows")
    void waitersOfAWindowHaveTheNextOne(Limit limit) {
        Rule window = Rule.of("rule", limit);
        decide(window.charge("key", 2));
        Duration rest = storage.peek(window, "key").resetAfter();
        remote.fail("");
        Charge waits = window.charge("key").within(DAY.multipliedBy(3));
        assertThat(delays(waits, 2)).containsExactly(rest, rest);
        Decision third = decide(waits);
        assertThat(third.permitted()).isFalse();
        assertThat(decide(window.charge("key")).permitted()).isFalse();
        time.advance(rest);
        assertThat(decide(window.charge("key")).permitted()).isFalse();
        assertThat(delays(waits, 2)).containsExactly(DAY, DAY);
    }

    /** How many have turns of it is not known. */
    @ParameterizedTest
    @MethodSource("windows")
    void nobodyWaitsForAWindowOfWhichTheSharedStorageHasGivenTurns(Limit limit) {
        Rule window = Rule.of("rule", limit);
        Charge waits = window.charge("key").within(DAY.multipliedBy(3));
        for (int i = 0; i < 3; i++) {
            decide(waits);
        }
        Duration rest = storage.peek(window, "key").resetAfter().minus(DAY);
        remote.fail("");
        Decision refused = decide(waits);
        assertThat(refused.permitted()).isFalse();
        time.advance(rest);
        assertThat(delays(waits, 2)).containsExactly(DAY, DAY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofSeveralLimitsTheLongestWaitCounts(boolean window) {
        Rule both = Rule.of(
                "both",
                Limit.tokenBucket(4, HOUR.multipliedBy(4)).named("bucket"),
                Limit.leakyBucket(4, HOUR.multipliedBy(4)).burst(20).paced().named("pace"),
                window
                        ? Limit.fixedWindow(9, DAY).named("window")
                        : Limit.concurrency(9).named("running"));
        decide(both.charge("key", 4).within(DAY));
        remote.fail("");
        assertThat(delays(both.charge("key").within(DAY), 2))
                .containsExactly(HOUR.multipliedBy(4), HOUR.multipliedBy(5));
    }

    @Test
    void nobodyWaitsWhereAnotherLimitRefuses() {
        Rule both = Rule.of(
                "both",
                Limit.tokenBucket(4, HOUR.multipliedBy(4)).named("bucket"),
                Limit.slidingWindowLog(4, DAY).named("log"));
        decide(both.charge("key", 4));
        remote.fail("");
        Decision refused = decide(both.charge("key").within(DAY.multipliedBy(2)));
        assertThat(refused.permitted()).isFalse();
        assertThat(refused.retryAfter()).contains(DAY);
    }

    @Test
    void aBucketThatWarmsUpGivesTurns() {
        Rule warm = Rule.of("rule", Limit.tokenBucket(4, HOUR.multipliedBy(4)).warmUp(HOUR));
        decide(warm.charge("key"));
        remote.fail("");
        List<Duration> delays = delays(warm.charge("key").within(DAY), 2);
        assertThat(delays.get(0)).isGreaterThanOrEqualTo(HOUR);
        assertThat(delays.get(1).minus(delays.get(0))).isGreaterThanOrEqualTo(HOUR);
        assertThat(decide(warm.charge("key")).permitted()).isFalse();
    }

    /** Permits of waiters count in the shared storage, also where they are more than its bucket holds. */
    @Test
    void whatWaitersHaveIsChargedWhenTheStorageWorksAgain() {
        decide(bucket.charge("key", 4));
        remote.fail("");
        delays(bucket.charge("key").within(DAY), 6);
        remote.work("");
        for (int hour = 1; hour <= 6; hour++) {
            time.advance(HOUR);
            storage.cleanUp();
            assertThat(decide(bucket.charge("key")).permitted())
                    .as("hour " + hour)
                    .isFalse();
        }
        time.advance(HOUR);
        storage.cleanUp();
        assertThat(decide(bucket.charge("key")).permitted()).isTrue();
        assertThat(decide(bucket.charge("key")).permitted()).isFalse();
    }

    @Test
    void whatWaitersOfAWindowHaveIsChargedInThatWindow() {
        Rule window = Rule.of("rule", Limit.fixedWindow(4, DAY));
        decide(window.charge("key", 2));
        Duration rest = storage.peek(window, "key").resetAfter();
        remote.fail("");
        delays(window.charge("key").within(DAY), 5);
        remote.work("");
        storage.cleanUp();
        assertThat(decide(window.charge("key")).permitted()).isFalse();
        time.advance(rest);
        storage.cleanUp();
        assertThat(decide(window.charge("key")).permitted()).isTrue();
        assertThat(decide(window.charge("key")).permitted()).isFalse();
    }

    @RepeatedTest(20)
    void waitersThatComeTogetherHaveTurnsOneAfterTheOther() {
        decide(bucket.charge("key", 4));
        time.advance(Duration.ofMinutes(30));
        remote.fail("");
        Charge waits = bucket.charge("key").within(DAY.multipliedBy(10));
        try (Threads threads = new Threads()) {
            List<Callable<List<Duration>>> waiters = Collections.nCopies(8, () -> delays(waits, 4));
            List<Duration> delays = threads.race(waiters).stream()
                    .flatMap(List::stream)
                    .sorted()
                    .toList();
            for (int i = 0; i < delays.size(); i++) {
                assertThat(delays.get(i)).as("turn " + i).isEqualTo(HOUR.multipliedBy(i + 1L));
            }
        }
    }
}
