package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** While a deployment replaces instances, some decide by a rule as it was and others as it is. */
@Tag("long")
class RollingChangeTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);
    private static final Duration EVEN_AT_HALF = MINUTE.dividedBy(50);

    private final VirtualTime time = new VirtualTime();
    private final RedisRateLimiterStorage storage = RedisStorageProvider.of(time);

    /** A hundred per window, all of them. */
    private static List<Limit> limits(Duration window) {
        return List.of(
                Limit.tokenBucket(100, window),
                Limit.tokenBucket(100, window).burst(3),
                Limit.leakyBucket(200, window.multipliedBy(2)),
                Limit.leakyBucket(100, window).paced(),
                Limit.fixedWindow(100, window),
                Limit.fixedWindow(6000, window.multipliedBy(60)),
                Limit.fixedWindow(100, window).startingWithFirst(),
                Limit.calendarWindow(100 * Duration.ofDays(1).dividedBy(window), Period.ofDays(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(100, window),
                Limit.slidingWindowCounter(300, window.multipliedBy(3)).buckets(7),
                Limit.slidingWindowLog(100, window),
                Limit.slidingWindowLog(300, window.multipliedBy(3)));
    }

    static Stream<Arguments> changes() {
        return changesAmong(limits(MINUTE));
    }

    static Stream<Arguments> shortChanges() {
        return changesAmong(limits(HALF_A_SECOND));
    }

    private static Stream<Arguments> changesAmong(List<Limit> limits) {
        return limits.stream()
                .flatMap(from -> limits.stream().filter(to -> !to.equals(from)).map(to -> Arguments.of(from, to)));
    }

    private Decision take(Limit limit) {
        return storage.decide(List.of(Rule.of("rule", limit).charge("key")));
    }

    private int refusedInTurn(int requests, Limit... inTurn) {
        return refusedInTurn(requests, EVEN_AT_HALF, inTurn);
    }

    private int refusedInTurn(int requests, Duration pause, Limit... inTurn) {
        int refused = 0;
        for (int i = 0; i < requests; i++) {
            time.advance(pause);
            refused += take(inTurn[i % inTurn.length]).permitted() ? 0 : 1;
        }
        return refused;
    }

    @ParameterizedTest
    @MethodSource("changes")
    void refusesNobodyAtHalfTheLimit(Limit from, Limit to) {
        assertThat(refusedInTurn(75, from)).isZero();
        assertThat(refusedInTurn(80, to, from)).isZero();
        // several requests of the same instance follow each other, too
        assertThat(refusedInTurn(100, from, from, from, to, to)).isZero();
        assertThat(refusedInTurn(60, to)).isZero();
    }

    /** Permits of others count from when they were taken, not from when this instance hears of them. */
    @ParameterizedTest
    @MethodSource("shortChanges")
    void refusesNobodyAtHalfTheLimitWhoStaysWithOneInstanceForLong(Limit from, Limit to) {
        Duration pause = HALF_A_SECOND.dividedBy(50);
        assertThat(refusedInTurn(75, pause, from)).isZero();
        for (int run : new int[] {20, 48, 52, 75, 140}) {
            for (int turn = 1; turn <= 3; turn++) {
                assertThat(refusedInTurn(run, pause, to))
                        .as("%s of %s", run, to)
                        .isZero();
                assertThat(refusedInTurn(turn, pause, from))
                        .as("%s of %s after %s", turn, from, run)
                        .isZero();
            }
        }
    }

    static Stream<Arguments> exactChanges() {
        List<Limit> exact = List.of(
                Limit.fixedWindow(100, MINUTE).startingWithFirst(),
                Limit.slidingWindowCounter(100, MINUTE),
                Limit.slidingWindowCounter(100, MINUTE).buckets(5),
                Limit.slidingWindowLog(100, MINUTE));
        return changesAmong(exact);
    }

    @ParameterizedTest
    @MethodSource("exactChanges")
    void grantsNoMoreThanEitherLimitInTurn(Limit from, Limit to) {
        ArrayDeque<Long> granted = new ArrayDeque<>();
        for (int i = 0; i < 1000; i++) {
            time.advance(Duration.ofMillis(200));
            if (take(i % 2 == 0 ? from : to).permitted()) {
                granted.add(time.now());
            }
            while (!granted.isEmpty() && granted.peek() <= time.now() - MINUTE.toNanos()) {
                granted.remove();
            }
            // of two sub-windows, each forgives no more than its share
            assertThat(granted.size()).isLessThanOrEqualTo(120);
        }
    }

    static Stream<Arguments> slidingChanges() {
        return changesAmong(List.of(
                Limit.slidingWindowCounter(100, MINUTE),
                Limit.slidingWindowCounter(100, MINUTE).buckets(5),
                Limit.slidingWindowLog(100, MINUTE)));
    }

    @ParameterizedTest
    @MethodSource("slidingChanges")
    void grantsNoMoreThanEitherLimitInRuns(Limit from, Limit to) {
        Random random = new Random(7);
        ArrayDeque<Long> granted = new ArrayDeque<>();
        for (int run = 0; run < 60; run++) {
            if (random.nextInt(4) == 0) {
                time.advance(Duration.ofMillis(random.nextInt(50_000)));
            }
            Duration pause = Duration.ofMillis(random.nextBoolean() ? 1 : 400);
            for (int i = random.nextInt(80); i >= 0; i--) {
                time.advance(pause);
                if (take(run % 2 == 0 ? from : to).permitted()) {
                    granted.add(time.now());
                }
                while (!granted.isEmpty() && granted.peek() <= time.now() - MINUTE.toNanos()) {
                    granted.remove();
                }
                // of two sub-windows, each forgives no more than its share
                assertThat(granted.size()).isLessThanOrEqualTo(120);
            }
        }
    }

    @Test
    void everyPermitCountsForBothLimits() {
        Limit log = Limit.slidingWindowLog(100, Duration.ofHours(1));
        Limit counter = Limit.slidingWindowCounter(100, Duration.ofHours(1));
        for (int i = 0; i < 100; i++) {
            time.advance(Duration.ofSeconds(1));
            assertThat(take(i / 7 % 2 == 0 ? log : counter).permitted()).isTrue();
        }
        assertThat(take(log).permitted()).isFalse();
        assertThat(take(counter).permitted()).isFalse();
    }

    @Test
    void aThirdLimitTakesOverWhatOneOfTheOthersHasNotCountedYet() {
        Limit first = Limit.slidingWindowLog(100, MINUTE);
        take(first);
        take(Limit.slidingWindowLog(300, MINUTE.multipliedBy(3)));
        for (int i = 0; i < 60; i++) {
            take(first);
        }
        assertThat(remaining(Limit.slidingWindowCounter(100, MINUTE))).isEqualTo(38);
    }

    @Test
    void aThousandSubWindowsCountWhatOthersTook() {
        Limit log = Limit.slidingWindowLog(100, MINUTE);
        Limit counter = Limit.slidingWindowCounter(100, MINUTE).buckets(1000);
        take(counter);
        take(log);
        for (int i = 0; i < 40; i++) {
            time.advance(Duration.ofSeconds(1));
            take(log);
        }
        assertThat(take(counter).remaining()).isEqualTo(100 - 43);
        assertThat(remaining(counter)).isEqualTo(100 - 43);
    }

    @Test
    void whatOthersTookLeavesWithItsTime() {
        Limit log = Limit.slidingWindowLog(100, MINUTE);
        Limit counter = Limit.slidingWindowCounter(100, MINUTE);
        take(log);
        for (int i = 0; i < 40; i++) {
            time.advance(Duration.ofSeconds(1));
            take(counter);
        }
        assertThat(take(log).remaining()).isEqualTo(100 - 42);
        time.advance(Duration.ofSeconds(40));
        // those of the last twenty seconds, and up to two that are counted by the last of their three seconds
        assertThat(remaining(log)).isBetween(100L - 24, 100L - 21);
    }

    @Test
    void whatWasTakenWhileBothWereThereIsGivenBack() {
        Limit log = Limit.slidingWindowLog(10, MINUTE);
        Limit bucket = Limit.tokenBucket(10, Duration.ofHours(1));
        take(log);
        Decision taken = take(bucket);
        Decision logged = take(log);
        assertThat(remaining(bucket)).isEqualTo(7);
        taken.giveBack();
        assertThat(remaining(bucket)).isEqualTo(8);
        assertThat(remaining(log)).isEqualTo(7);
        logged.giveBack();
        assertThat(remaining(log)).isEqualTo(8);
    }

    private long remaining(Limit limit) {
        return storage.peek(Rule.of("rule", limit), "key").remaining();
    }

    @Test
    void aResetIsOneOfBoth() {
        Limit log = Limit.slidingWindowLog(10, MINUTE);
        Limit bucket = Limit.tokenBucket(10, Duration.ofHours(1));
        for (int i = 0; i < 8; i++) {
            take(i % 2 == 0 ? log : bucket);
        }
        storage.reset(Rule.of("rule", log), "key");
        assertThat(remaining(bucket)).isEqualTo(10);
        assertThat(take(log).remaining()).isEqualTo(9);
        assertThat(take(bucket).remaining()).isEqualTo(8);
    }

    @Test
    void whatIsHeldIsRenewedWhileTheRuleIsOfAnotherKindElsewhere() {
        Limit held = Limit.concurrency(2);
        Limit rate = Limit.tokenBucket(10, Duration.ofHours(1));
        Decision first = take(held);
        take(rate);
        Decision second = take(held);
        assertThat(take(held).permitted()).isFalse();
        for (int i = 0; i < 6; i++) {
            time.advance(Duration.ofSeconds(15));
            storage.cleanUp();
            assertThat(take(held).permitted()).isFalse();
        }
        first.close();
        second.close();
        assertThat(remaining(held)).isEqualTo(2);
    }

    @Test
    void isOverAMinuteAfterTheLastOfTheOldOnes() {
        Limit log = Limit.slidingWindowLog(1000, Duration.ofHours(1));
        Limit bucket = Limit.tokenBucket(1000, Duration.ofHours(1));
        String prefix = "over-" + System.nanoTime();
        RedisRateLimiterStorage named = RedisStorageProvider.of(time, prefix);
        Rule before = Rule.of("rule", log);
        Rule after = Rule.of("rule", bucket);
        named.decide(before, "key", 1);
        named.decide(after, "key", 1);
        named.decide(before, "key", 1);
        assertThat(keys(prefix)).hasSizeGreaterThan(1);
        time.advance(Duration.ofSeconds(61));
        named.decide(after, "key", 1);
        assertThat(keys(prefix)).hasSize(1);
        assertThat(named.peek(after, "key").remaining()).isGreaterThanOrEqualTo(1000 - 4);
    }

    private static List<byte[]> keys(String prefix) {
        return SharedRedis.commands().keys((prefix + "*").getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
