package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Permits used under one limit count the same under the next one in memory and in Redis, with whole microseconds. */
class TakenOverTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage memory = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100_000);
    private final RateLimiterStorage redis = RedisStorageProvider.of(time);

    private static List<Limit> limits() {
        return List.of(
                Limit.tokenBucket(20, MINUTE),
                Limit.tokenBucket(30, HOUR).burst(10),
                Limit.leakyBucket(20, MINUTE.multipliedBy(3)),
                Limit.fixedWindow(20, MINUTE),
                Limit.fixedWindow(30, DAY),
                Limit.fixedWindow(20, MINUTE).alignFirst(),
                Limit.fixedWindow(10, HOUR.multipliedBy(2)).alignFirst(),
                Limit.calendarWindow(20, Period.ofDays(1), ZoneOffset.UTC),
                Limit.calendarWindow(30, Period.ofMonths(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(20, MINUTE),
                Limit.slidingWindowCounter(10, HOUR).buckets(7),
                Limit.slidingWindowLog(20, MINUTE),
                Limit.slidingWindowLog(30, HOUR));
    }

    static Stream<Arguments> changes() {
        return limits().stream()
                .flatMap(from -> limits().stream()
                        .filter(to -> !to.equals(from) && !keepsStart(from, to))
                        .map(to -> Arguments.of(from, to)));
    }

    /** A state in Redis does not contain how its window began, so one from the first request continues any other. */
    private static boolean keepsStart(Limit from, Limit to) {
        return from instanceof Limit.FixedWindow && to instanceof Limit.FixedWindow window && window.alignedToFirst();
    }

    @ParameterizedTest
    @MethodSource("changes")
    void countsTheSameInMemoryAndRedis(Limit from, Limit to) {
        long seed = Long.getLong("limiter.seed", 20_261_126L);
        SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < 10; run++) {
            List<String> steps = new ArrayList<>();
            String key = "key" + run;
            long window = (random.nextBoolean() ? from : to).window().toNanos() / 1000;
            for (int i = 1 + random.nextInt(5); i > 0; i--) {
                assertSame(from, key, 1 + random.nextInt(2), steps, seed);
                pause(window, random, steps);
            }
            for (int i = 0; i < 12; i++) {
                assertSame(to, key, 1 + random.nextInt(4), steps, seed);
                if (random.nextInt(3) == 0) {
                    pause(to.window().toNanos() / 1000, random, steps);
                }
            }
        }
    }

    private void pause(long window, SplittableRandom random, List<String> steps) {
        long micros = random.nextLong(random.nextInt(3) == 0 ? 2 * window : window / 10 + 1);
        time.advance(1000 * micros);
        steps.add(micros + " us");
    }

    private void assertSame(Limit limit, String key, long permits, List<String> steps, long seed) {
        Rule rule = Rule.of("rule", limit);
        Decision expected = memory.decide(List.of(rule.charge(key, permits)));
        Decision answered = redis.decide(List.of(rule.charge(key, permits)));
        steps.add(permits + " of " + limit + ": " + expected.permitted() + ", " + expected.remaining() + " left");
        assertThat(answered.permitted() + ", " + answered.remaining() + " left")
                .as("-Dlimiter.seed=%d, %s", seed, steps)
                .isEqualTo(expected.permitted() + ", " + expected.remaining() + " left");
    }

    private long granted(RateLimiterStorage storage, Limit limit, long... costs) {
        long granted = 0;
        for (long cost : costs) {
            time.advance(1000);
            granted += storage.decide(Rule.of("rule", limit), "key", cost).permitted() ? cost : 0;
        }
        return granted;
    }

    private static List<Limit> tenAnHour() {
        return List.of(
                Limit.tokenBucket(10, HOUR),
                Limit.leakyBucket(10, HOUR.multipliedBy(2)),
                Limit.fixedWindow(10, HOUR.multipliedBy(2)),
                Limit.fixedWindow(10, HOUR).alignFirst(),
                Limit.slidingWindowCounter(10, HOUR),
                Limit.slidingWindowLog(10, HOUR));
    }

    static Stream<Arguments> changesOfTenAnHour() {
        return tenAnHour().stream()
                .flatMap(from ->
                        tenAnHour().stream().filter(to -> !to.equals(from)).map(to -> Arguments.of(from, to)));
    }

    /** While a deployment replaces instances, some apply the old rule and others the new one. */
    @ParameterizedTest
    @MethodSource("changesOfTenAnHour")
    void alternatingLimitsPermitNoMoreThanOneOfThem(Limit from, Limit to) {
        time.set(Math.floorDiv(time.now(), DAY.toNanos()) * DAY.toNanos() + DAY.toNanos());
        long granted = 0;
        for (int i = 0; i < 12; i++) {
            granted += granted(redis, from, 1, 1) + granted(redis, to, 1);
        }
        assertThat(granted).isEqualTo(10);
    }

    static Stream<Arguments> windowsWithAnotherStart() {
        Limit daily = Limit.calendarWindow(10, Period.ofDays(1), ZoneOffset.UTC);
        Limit fromFirst = Limit.fixedWindow(10, MINUTE).alignFirst();
        return Stream.of(
                Arguments.of(fromFirst, Limit.fixedWindow(10, MINUTE), Duration.ofSeconds(30), MINUTE),
                Arguments.of(
                        daily,
                        Limit.calendarWindow(10, Period.ofDays(1), ZoneOffset.ofHours(-2)),
                        HOUR,
                        HOUR.multipliedBy(2)),
                Arguments.of(
                        daily,
                        Limit.calendarWindow(10, Period.ofDays(1), ZoneOffset.ofHours(-12)),
                        HOUR,
                        HOUR.multipliedBy(12)));
    }

    /** Permits charged at one time of the day are returned before the other window ends at another time. */
    @ParameterizedTest
    @MethodSource("windowsWithAnotherStart")
    void aLateRefundOfAWindowWithAnotherStartReturnsNothing(Limit from, Limit to, Duration charged, Duration ends) {
        Rule former = Rule.of("rule", from);
        Rule rule = Rule.of("rule", to);
        long midnight = Math.floorDiv(time.now(), DAY.toNanos()) * DAY.toNanos() + DAY.toNanos();
        time.set(midnight + charged.toNanos());
        Decision before = redis.decide(former, "key", 1);
        assertThat(redis.decide(rule, "key", 9).permitted()).isTrue();
        assertThat(redis.decide(List.of(rule.charge("key", 5).maxWait(ends))).permitted())
                .isTrue();
        before.giveBack();
        time.set(midnight + ends.toNanos());
        assertThat(redis.peek(rule, "key").remaining()).isEqualTo(5);
    }

    /** A month ends at the same time as its last day, in which few of its permits count. */
    @Test
    void aLateRefundOfALongerWindowWithTheSameEndReturnsNothing() {
        Rule monthly = Rule.of("rule", Limit.calendarWindow(10, Period.ofMonths(1), ZoneOffset.UTC));
        Rule daily = Rule.of("rule", Limit.calendarWindow(10, Period.ofDays(1), ZoneOffset.UTC));
        time.set(Duration.ofSeconds(Instant.parse("2026-03-31T10:00:00Z").getEpochSecond())
                .toNanos());
        Decision before = redis.decide(monthly, "key", 5);
        assertThat(redis.decide(daily, "key", 1).permitted()).isTrue();
        time.advance(MINUTE.multipliedBy(2));
        long left = redis.decide(daily, "key", 1).remaining();
        before.giveBack();
        assertThat(redis.peek(daily, "key").remaining()).isEqualTo(left);
    }

    /** The next month has another length. */
    @Test
    void permitsOfTheNextCalendarWindowAreRefunded() {
        Rule rule = Rule.of("rule", Limit.calendarWindow(10, Period.ofMonths(1), ZoneOffset.UTC));
        for (String lastDay : List.of("2026-01-31", "2026-02-28", "2026-03-31")) {
            time.set(Duration.ofSeconds(Instant.parse(lastDay + "T10:00:00Z").getEpochSecond())
                    .toNanos());
            Decision present = redis.decide(rule, lastDay, 10);
            Decision first = redis.decide(List.of(rule.charge(lastDay, 4).maxWait(DAY)));
            Decision second = redis.decide(List.of(rule.charge(lastDay, 3).maxWait(DAY)));
            assertThat(second.permitted()).isTrue();
            // the others wait because of these
            present.giveBack();
            assertThat(redis.peek(rule, lastDay).remaining()).isZero();
            first.giveBack();
            time.advance(DAY);
            assertThat(redis.peek(rule, lastDay).remaining()).isEqualTo(7);
            second.giveBack();
            assertThat(redis.peek(rule, lastDay).remaining()).isEqualTo(10);
        }
    }
}
