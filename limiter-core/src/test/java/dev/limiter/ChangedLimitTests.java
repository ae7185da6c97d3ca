package dev.limiter;

import static dev.limiter.VirtualTime.STEP;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A rule changes its algorithm or window: used permits stay used. */
class ChangedLimitTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters = TestedStorage.limiters(time);

    private static List<Limit> limits(long limit) {
        return List.of(
                Limit.tokenBucket(limit, MINUTE),
                Limit.tokenBucket(limit, MINUTE).warmUp(Duration.ofSeconds(30)),
                Limit.leakyBucket(limit, MINUTE.multipliedBy(2)),
                Limit.leakyBucket(limit, MINUTE).paced(),
                Limit.fixedWindow(limit, MINUTE),
                Limit.fixedWindow(limit, MINUTE.multipliedBy(60)),
                Limit.fixedWindow(limit, MINUTE).alignFirst(),
                Limit.fixedWindow(limit, MINUTE.multipliedBy(3)).alignFirst(),
                Limit.calendarWindow(limit, Period.ofDays(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(limit, MINUTE),
                Limit.slidingWindowCounter(limit, MINUTE).buckets(7),
                Limit.slidingWindowCounter(limit, MINUTE.multipliedBy(3)),
                Limit.slidingWindowLog(limit, MINUTE),
                Limit.slidingWindowLog(limit, MINUTE.multipliedBy(3)),
                Limit.concurrency(limit));
    }

    static Stream<Arguments> changes() {
        return limits(100).stream()
                .flatMap(from ->
                        limits(100).stream().filter(to -> !to.equals(from)).map(to -> Arguments.of(from, to)));
    }

    private static boolean oneByOne(Limit limit) {
        return limit instanceof Limit.LeakyBucket leaky && leaky.even()
                || limit instanceof Limit.TokenBucket token && !token.warmUp().isZero();
    }

    private Decision take(Limit limit, long permits) {
        return limiters.tryAcquire(Rule.of("rule", limit), "key", permits);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void usedPermitsStayUsed(Limit from, Limit to) {
        long used = oneByOne(from) ? 1 : 60;
        Decision before = take(from, used);
        time.advance(STEP);
        if (to instanceof Limit.Concurrency) {
            // used permits are not held
            assertThat(take(to, 100).permitted()).isTrue();
        } else if (oneByOne(to)) {
            assertThat(take(to, 1).permitted()).isFalse();
        } else {
            long left = take(to, 0).remaining();
            assertThat(left).isEqualTo(100 - used);
            assertThat(take(to, left + 1).permitted()).isFalse();
            assertThat(take(to, left).permitted()).isTrue();
            assertThat(take(to, 1).permitted()).isFalse();
        }
        before.giveBack();
        assertThat(take(to, 0).remaining()).isLessThanOrEqualTo(used);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void lateRefundReturnsNoPermitsOfOthers(Limit from, Limit to) {
        if (to instanceof Limit.Concurrency || oneByOne(to)) {
            return;
        }
        Decision before = take(from, oneByOne(from) ? 1 : 60);
        time.advance(STEP);
        take(to, 1);
        time.advance(MINUTE.dividedBy(2));
        take(to, take(to, 0).remaining());
        time.advance(MINUTE.multipliedBy(60));
        take(to, take(to, 0).remaining());
        long left = take(to, 0).remaining();
        before.giveBack();
        assertThat(take(to, 0).remaining()).isEqualTo(left);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void retryAfterIsExactUnderTheOther(Limit from, Limit to) {
        if (from instanceof Limit.Concurrency || to instanceof Limit.Concurrency) {
            return;
        }
        take(from, oneByOne(from) ? 1 : 100);
        for (int i = 0; i < 5; i++) {
            Decision rejected = take(to, 70);
            if (rejected.permitted()) {
                continue;
            }
            time.advance(rejected.retryAfter().orElseThrow().toNanos() - STEP);
            assertThat(take(to, 70).permitted()).isFalse();
            time.advance(STEP);
            assertThat(take(to, 70).permitted()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("changes")
    void requestUnderASmallerLimitDropsNothing(Limit from, Limit to) {
        boolean shorter = to.window().compareTo(from.window()) < 0;
        if (from instanceof Limit.Concurrency
                || oneByOne(from)
                || !(bucketOrWindow(from) && bucketOrWindow(to))
                || shorter) {
            return;
        }
        take(from, 60);
        limiters.tryAcquire(Rule.of("rule", from), "unused key", 60);
        Limit smaller = limits(10).get(limits(100).indexOf(to));
        assertThat(take(smaller, 1).permitted()).isFalse();
        assertThat(take(smaller, 0).permitted()).isTrue();
        assertThat(take(from, 0).remaining()).isEqualTo(40);
        assertThat(take(from, 41).permitted()).isFalse();
        time.advance(MINUTE.dividedBy(4));
        assertThat(take(smaller, 1).permitted()).isFalse();
        assertThat(take(from, 0).remaining()).isEqualTo(otherwise(from));
        time.advance(MINUTE);
        assertThat(take(from, 0).remaining()).isEqualTo(otherwise(from));
    }

    /**
     * Permits that a lowered limit cannot hold leak at the old rate; a turn behind them would make them last longer.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 30, 59})
    void loweredBucketGrantsNoTurnsBehindItsExcess(int seconds) {
        List<Limit> before = List.of(Limit.tokenBucket(1000, MINUTE), Limit.leakyBucket(1000, MINUTE));
        List<Limit> after = List.of(Limit.tokenBucket(10, MINUTE), Limit.leakyBucket(10, MINUTE));
        for (int i = 0; i < before.size(); i++) {
            String key = "key" + i;
            Rule lowered = Rule.of("lowered", after.get(i));
            assertThat(limiters.tryAcquire(Rule.of("lowered", before.get(i)), key, 1000)
                            .permitted())
                    .isTrue();
            time.advance(Duration.ofSeconds(seconds));
            Decision decision =
                    limiters.storage().decide(List.of(lowered.charge(key, 1).maxWait(Duration.ofSeconds(55))));
            assertThat(decision.permitted()).isFalse();
            time.advance(MINUTE.minusSeconds(seconds));
            assertThat(limiters.tryAcquire(lowered, key, 10).permitted()).isTrue();
        }
    }

    /** A level that only the longer queue reaches must not be taken for a step of the clock. */
    @ParameterizedTest
    @MethodSource("neighbours")
    void requestUnderAShorterPacedQueueDropsNothing(List<Limit> others) {
        Rule longer = besides(others, Limit.leakyBucket(10, MINUTE).paced());
        for (Limit limit : List.of(Limit.leakyBucket(2, MINUTE).paced(), Limit.leakyBucket(2, MINUTE))) {
            Rule shorter = besides(others, limit);
            String key = limit.toString();
            assertThat(limiters.tryAcquire(longer, key, 10).permitted()).isTrue();
            for (int i = 0; i < 3; i++) {
                assertThat(limiters.tryAcquire(shorter, key).permitted()).isFalse();
                assertThat(limiters.tryAcquire(shorter, key).permitted()).isFalse();
                assertThat(limiters.tryAcquire(longer, key).retryAfter()).contains(MINUTE);
            }
        }
    }

    static Stream<List<Limit>> neighbours() {
        return Stream.of(
                List.of(), List.of(Limit.fixedWindow(1000, MINUTE)), List.of(Limit.slidingWindowLog(1000, MINUTE)));
    }

    private static Rule besides(List<Limit> others, Limit limit) {
        List<Limit> limits = new ArrayList<>();
        limits.add(limit.named("first"));
        others.forEach(other -> limits.add(other.named("other")));
        return Rule.of("queue", limits.toArray(Limit[]::new));
    }

    private static Stream<Limit> ofEachAlgorithm(long limit, Duration window) {
        return Stream.of(
                Limit.tokenBucket(limit, window),
                Limit.tokenBucket(limit, window).warmUp(Duration.ofSeconds(10)),
                Limit.leakyBucket(limit, window),
                Limit.leakyBucket(limit, window).paced(),
                Limit.fixedWindow(limit, window),
                Limit.fixedWindow(limit, window).alignFirst(),
                Limit.slidingWindowCounter(limit, window),
                Limit.slidingWindowLog(limit, window));
    }

    static Stream<Arguments> shorterWindows() {
        return ofEachAlgorithm(100, MINUTE.multipliedBy(60))
                .flatMap(from -> Stream.concat(ofEachAlgorithm(10, MINUTE), Stream.of(Limit.concurrency(10)))
                        .map(to -> Arguments.of(from, to)));
    }

    @ParameterizedTest
    @MethodSource("shorterWindows")
    void theWaitAfterALongerWindowIsThatOfTheNewLimit(Limit from, Limit to) {
        for (int i = 0; i < 100; i++) {
            take(from, 1);
        }
        Rule rule = Rule.of("rule", to);
        limiters.tryAcquire(rule, "other", to.capacity());
        Duration longest = limiters.tryAcquire(rule, "other").retryAfter().orElse(Duration.ZERO);

        Decision decision = take(to, 1);

        Duration wait =
                decision.permitted() ? Duration.ZERO : decision.retryAfter().orElseThrow();
        assertThat(wait).isLessThanOrEqualTo(longest);
        if (!decision.permitted()) {
            time.advance(wait.toNanos() - STEP);
            assertThat(take(to, 1).permitted()).isFalse();
            time.advance(STEP);
            assertThat(take(to, 1).permitted()).isTrue();
        }
    }

    /** Otherwise as many others would be permitted as were dropped. */
    @ParameterizedTest
    @MethodSource("shorterWindows")
    void permitsDroppedByAShorterWindowAreNotRefunded(Limit from, Limit to) {
        if (to instanceof Limit.Concurrency || oneByOne(from)) {
            return;
        }
        List<Decision> before = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            before.add(take(from, 1));
        }
        assertThat(take(to, 1).permitted()).isFalse();
        before.subList(50, 100).forEach(Decision::giveBack);
        assertThat(take(to, 1).permitted()).isFalse();
    }

    private long otherwise(Limit limit) {
        return limiters.peek(Rule.of("rule", limit), "unused key").remaining();
    }

    /** Returns whether memory keeps what the smaller limit cannot hold. */
    private static boolean bucketOrWindow(Limit limit) {
        return !oneByOne(limit)
                && (limit instanceof Limit.TokenBucket
                        || limit instanceof Limit.LeakyBucket
                        || limit instanceof Limit.FixedWindow window && !window.alignedToFirst());
    }
}
