package dev.limiter;

import static dev.limiter.VirtualTime.STEP;
import static dev.limiter.VirtualTime.ceil;
import static dev.limiter.VirtualTime.times;
import static dev.limiter.VirtualTime.window;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of every algorithm, tested through the public entry point. */
abstract class AlgorithmContractTests {

    static final Duration WINDOW = Duration.ofMinutes(1);
    static final long WINDOW_NANOS = WINDOW.toNanos();

    final VirtualTime time = new VirtualTime();
    final RateLimiters limiters = TestedStorage.limiters(time, 1000);

    /** Returns a limit of the algorithm, with the default burst. */
    abstract Limit limit(long limit, Duration window);

    /** Returns how long one permit can be rejected after all were taken at once, in windows. */
    double longestBlock() {
        return 1;
    }

    private long longestBlockNanos() {
        return (long) Math.ceil(WINDOW_NANOS * longestBlock());
    }

    Rule rule(long limit) {
        return Rule.of("rule", limit(limit, WINDOW));
    }

    Decision take(Rule rule, long permits) {
        return limiters.tryAcquire(rule, "key", permits);
    }

    long remaining(Rule rule) {
        return take(rule, 0).remaining();
    }

    void holds(long states) {
        MemoryPromises.holds(limiters, states);
    }

    void forgets() {
        MemoryPromises.forgets(limiters, time);
    }

    @Test
    void permitsExactlyTheLimitAtOnce() {
        Rule rule = rule(100);
        for (int i = 1; i <= 100; i++) {
            Decision decision = limiters.tryAcquire(rule, "key");
            assertThat(decision.permitted()).isTrue();
            assertThat(decision.never()).isFalse();
            assertThat(decision.remaining()).isEqualTo(100 - i);
            assertThat(decision.retryAfter()).isEmpty();
        }
        Decision rejected = limiters.tryAcquire(rule, "key");
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.never()).isFalse();
        assertThat(rejected.remaining()).isZero();
        assertThat(rejected.retryAfter()).isPresent();
        assertThat(rejected.delay()).isZero();
    }

    @Test
    void reportsRuleLimitAndStatus() {
        Rule rule = rule(100);
        for (Decision decision : List.of(take(rule, 1), take(rule, 99), take(rule, 1), take(rule, 2))) {
            assertThat(decision.rule()).isSameAs(rule);
            assertThat(decision.limit()).isEqualTo(rule.limits().get(0));
            assertThat(decision.limits())
                    .hasSameSizeAs(rule.limits())
                    .first()
                    .isEqualTo(new LimitStatus(
                            "rule",
                            decision.limit(),
                            decision.permitted(),
                            decision.remaining(),
                            decision.retryAfter(),
                            decision.resetAfter()));
        }
    }

    @Test
    void aRejectionKeepsTheNumbersOfItsMomentAndReturnsNothing() {
        Rule rule = rule(100);
        take(rule, 99);
        for (Decision rejected : List.of(take(rule, 2), take(rule, 1_000))) {
            String text = rejected.toString();
            time.advance(Duration.ofSeconds(1));
            assertThat(rejected).hasToString(text);
            rejected.giveBack();
            rejected.close();
        }
        assertThat(take(rule, 1).permitted()).isTrue();
    }

    @Test
    void rejectsWithoutCharging() {
        Rule rule = rule(100);
        take(rule, 60);
        limiters.tryAcquire(rule, "other", 60);
        for (int i = 0; i < 50; i++) {
            assertThat(take(rule, 41).permitted()).isFalse();
        }
        assertThat(take(rule, 41).retryAfter())
                .isEqualTo(limiters.tryAcquire(rule, "other", 41).retryAfter());
        assertThat(remaining(rule)).isEqualTo(40);
        assertThat(take(rule, 40).permitted()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "100, 60000000000, 1",
        "100, 60000000000, 7",
        "100, 60000000000, 100",
        "3, 1000000000, 1",
        "7, 1000000000, 2",
        "7000000, 1000000000, 1",
        "7000000, 1000000000, 999999",
        "1, 2592000000000000, 1",
        "10000000, 1000000000, 1",
        "9999991, 1000000000, 1",
        "9999991, 1000000000, 5000000",
        "10000019, 2592000000000000, 1",
        "10000019, 2592000000000000, 3333333",
        "1, 1, 1",
        "5, 3, 2",
        "1000000000000000, 1, 400000000000000",
        "1000000000000000, 316224000000000000, 1",
        "1, 316224000000000000, 1"
    })
    void retryAfterIsExact(long limit, long windowNanos, long permits) {
        Rule rule = Rule.of("rule", limit(limit, window(windowNanos)));
        take(rule, limit / 2);
        long window = rule.limits().get(0).window().toNanos();
        time.advance(window / 3);
        take(rule, limit - limit / 2);
        for (int i = 0; i < 40; i++) {
            take(rule, remaining(rule));
            Decision rejected = take(rule, permits);
            long wait = rejected.retryAfter().orElseThrow().toNanos();
            assertThat(wait).isPositive();
            if (time.now() > (1L << 62) - 2 * window) {
                return;
            }
            time.advance(wait - STEP);
            Decision tooEarly = take(rule, permits);
            if (wait > STEP) {
                assertThat(tooEarly.permitted()).isFalse();
                assertThat(tooEarly.retryAfter()).contains(Duration.ofNanos(STEP));
            }
            time.advance(STEP);
            assertThat(take(rule, permits).permitted()).isTrue();
        }
    }

    @Test
    void costZeroIsPermittedAndChargesNothing() {
        Rule rule = rule(100);
        assertThat(take(rule, 0).permitted()).isTrue();
        assertThat(take(rule, 0).remaining()).isEqualTo(100);
        holds(0);
        take(rule, 100);
        Decision nothing = take(rule, 0);
        assertThat(nothing.permitted()).isTrue();
        assertThat(nothing.remaining()).isZero();
        nothing.giveBack();
        assertThat(remaining(rule)).isZero();
    }

    @Test
    void moreThanTheCapacityIsNever() {
        Rule rule = rule(100);
        for (int i = 0; i < 2; i++) {
            Decision never = take(rule, 101);
            assertThat(never.permitted()).isFalse();
            assertThat(never.never()).isTrue();
            assertThat(never.retryAfter()).isEmpty();
            assertThat(take(rule, Long.MAX_VALUE).never()).isTrue();
            holds(i);
            take(rule, 10);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {9_999_991, 10_000_000_000_000L, 100})
    void moreThanTheCapacityIsNeverAtAnyTime(long limit) {
        Rule rule = Rule.of("rule", limit(limit, Duration.ofSeconds(1)));
        for (int i = 0; i < 10; i++) {
            assertThat(limiters.tryAcquire(rule, "fresh", limit + 1).never()).isTrue();
            assertThat(take(rule, limit + 1).never()).isTrue();
            assertThat(take(rule, limit).permitted()).isTrue();
            time.advance(Duration.ofDays(400));
        }
    }

    @Test
    void negativeWaitIsAnIllegalArgumentAndTakesNothing() {
        Rule rule = rule(100);
        assertThatThrownBy(() -> limiters.acquire(rule, "key", Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxWait is PT-0.001S and maxWaiting 0 for rule \"rule\", but neither may be negative");
        assertThatThrownBy(() -> limiters.acquire(rule, "key", null)).isInstanceOf(NullPointerException.class);
        assertThat(remaining(rule)).isEqualTo(100);
    }

    @Test
    void negativeCostIsAnIllegalArgument() {
        Rule rule = rule(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> take(rule, -1))
                .withMessageContaining("-1")
                .withMessageContaining("rule");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 30, 100})
    void atResetAfterTheKeyIsAsNew(long used) {
        Rule rule = rule(100);
        long reset = take(rule, used).resetAfter().toNanos();
        holds(1);
        time.advance(reset - STEP);
        assertThat(remaining(rule)).isLessThan(100);
        assertThat(take(rule, 0).resetAfter()).isEqualTo(Duration.ofNanos(STEP));
        time.advance(STEP);
        assertThat(take(rule, 0).resetAfter()).isZero();
        assertThat(remaining(rule)).isEqualTo(100);
        forgets();
        assertThat(take(rule, 100).permitted()).isTrue();
    }

    @Test
    void aYearOfIdlingPermitsNoMoreThanTheCapacity() {
        Rule rule = rule(100);
        take(rule, 100);
        time.advance(Duration.ofDays(366));
        assertThat(remaining(rule)).isEqualTo(100);
        assertThat(take(rule, 100).permitted()).isTrue();
        assertThat(take(rule, 1).permitted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 100})
    void refundsOnce(long permits) {
        Rule rule = rule(100);
        take(rule, 100 - permits);
        Decision decision = take(rule, permits);
        decision.giveBack();
        decision.giveBack();
        assertThat(remaining(rule)).isEqualTo(permits);
    }

    @Test
    void neverRefundsAboveTheLimit() {
        Rule rule = rule(100);
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            decisions.add(take(rule, 10));
        }
        decisions.forEach(Decision::giveBack);
        assertThat(remaining(rule)).isEqualTo(100);
        assertThat(take(rule, 100).permitted()).isTrue();
        assertThat(take(rule, 1).permitted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 40})
    void neverRefundsIntoALaterWindow(long permits) {
        Rule rule = rule(100);
        Decision early = take(rule, permits);
        time.advance(early.resetAfter());
        assertThat(take(rule, 100).permitted()).isTrue();
        early.giveBack();
        assertThat(remaining(rule)).isZero();
    }

    @Test
    void givingBackToAForgottenKeyChangesNothing() {
        Rule rule = rule(100);
        Decision early = take(rule, 5);
        time.advance(early.resetAfter().toNanos());
        forgets();
        early.giveBack();
        holds(0);
        take(rule, 100);
        early.giveBack();
        assertThat(remaining(rule)).isZero();
    }

    @Test
    void givingBackToAResetKeyDoesNotExceedFull() {
        Rule rule = rule(100);
        Decision early = take(rule, 5);
        limiters.reset(rule, "key");
        early.giveBack();
        assertThat(remaining(rule)).isEqualTo(100);
    }

    @Test
    void peekCreatesNoState() {
        Decision peek = limiters.peek(rule(100), "key");
        assertThat(peek.permitted()).isTrue();
        assertThat(peek.remaining()).isEqualTo(100);
        assertThat(peek.resetAfter()).isZero();
        holds(0);
    }

    @Test
    void peekEqualsTheNextTryAcquire() {
        Rule rule = rule(10);
        for (int i = 0; i < 500; i++) {
            Decision peek = limiters.peek(rule, "key");
            Decision decision = limiters.tryAcquire(rule, "key");
            assertThat(peek.permitted()).isEqualTo(decision.permitted());
            assertThat(peek.retryAfter()).isEqualTo(decision.retryAfter());
            assertThat(peek.remaining()).isEqualTo(decision.remaining() + (decision.permitted() ? 1 : 0));
            time.advance(i % 20 == 0 ? -WINDOW_NANOS * (i % 7) : WINDOW_NANOS / 23 * (i % 3));
        }
    }

    @Test
    void resetDeletesTheUse() {
        Rule rule = rule(100);
        take(rule, 100);
        limiters.tryAcquire(rule, "other", 100);
        limiters.reset(rule, "key");
        holds(1);
        assertThat(remaining(rule)).isEqualTo(100);
        assertThat(limiters.tryAcquire(rule, "other").permitted()).isFalse();
        assertThat(take(rule, 100).permitted()).isTrue();
        limiters.reset(rule, "unknown");
        holds(2);
    }

    @Test
    void keysAndRulesAreIndependent() {
        Rule rule = rule(100);
        Rule other = Rule.of("other", limit(100, WINDOW));
        take(rule, 100);
        assertThat(limiters.tryAcquire(rule, "other", 100).permitted()).isTrue();
        assertThat(limiters.tryAcquire(rule, Charge.SHARED, 100).permitted()).isTrue();
        assertThat(limiters.tryAcquire(other, "key", 100).permitted()).isTrue();
        assertThat(take(rule, 1).permitted()).isFalse();
        holds(4);
    }

    @Test
    void raisedLimitKeepsUsedPermits() {
        take(rule(100), 100);
        assertThat(take(rule(1000), 0).remaining()).isEqualTo(900);
        assertThat(take(rule(1000), 900).permitted()).isTrue();
        assertThat(take(rule(1000), 1).permitted()).isFalse();
        holds(1);
    }

    @Test
    void loweredLimitKeepsUsedPermits() {
        take(rule(1000), 60);
        assertThat(take(rule(100), 0).remaining()).isEqualTo(40);
        assertThat(take(rule(100), 41).permitted()).isFalse();
        assertThat(take(rule(100), 40).permitted()).isTrue();
        assertThat(take(rule(50), 1).permitted()).isFalse();
        assertThat(take(rule(50), 0).permitted()).isTrue();
        assertThat(take(rule(50), 0).remaining()).isZero();
    }

    @Test
    void retryAfterIsExactUnderALoweredLimit() {
        take(rule(1000), 700);
        time.advance(WINDOW_NANOS / 7);
        take(rule(1000), 300);
        for (int i = 0; i < 5; i++) {
            long wait = take(rule(100), 3).retryAfter().orElseThrow().toNanos();
            time.advance(wait - STEP);
            assertThat(take(rule(100), 3).permitted()).isFalse();
            assertThat(limiters.peek(rule(100), "key").resetAfter()).isPositive();
            time.advance(STEP);
            assertThat(take(rule(100), 3).permitted()).isTrue();
            while (take(rule(100), 1).permitted()) {}
        }
    }

    @Test
    void requestUnderASmallerLimitKeepsTheUseOfTheLarger() {
        take(rule(1000), 500);
        for (int i = 0; i < 10; i++) {
            assertThat(take(rule(10), 1).permitted()).isFalse();
            assertThat(limiters.peek(rule(10), "key").permitted()).isFalse();
            assertThat(take(rule(1000), 0).remaining()).isEqualTo(500);
            assertThat(take(rule(10), 1).permitted()).isFalse();
        }
        assertThat(take(rule(1000), 501).permitted()).isFalse();
        assertThat(take(rule(1000), 500).permitted()).isTrue();
    }

    @Test
    void refundsPermitsTakenUnderAnotherLimit() {
        Decision first = take(rule(100), 40);
        Decision second = take(rule(1000), 1);
        first.giveBack();
        assertThat(remaining(rule(1000))).isEqualTo(999);
        take(rule(100), 50);
        second.giveBack();
        assertThat(remaining(rule(100))).isEqualTo(50);
    }

    @ParameterizedTest
    @CsvSource({
        "1",
        "15000000000",
        "30000000000",
        "30000000001",
        "45000000000",
        "60000000000",
        "65000000000",
        "3600000000000"
    })
    void clockThatStepsBackNeitherGrantsNorBlocks(long step) {
        for (long used : new long[] {100, 60}) {
            String key = "key" + used;
            Rule rule = rule(100);
            limiters.tryAcquire(rule, key, used);
            for (long i = used; i < 100; i++) {
                limiters.tryAcquire(rule, key);
            }
            assertThat(limiters.tryAcquire(rule, key).permitted()).isFalse();
            long before = time.now();
            time.advance(-ceil(step));
            Decision rejected = limiters.tryAcquire(rule, key);
            assertThat(rejected.permitted()).isFalse();
            long wait = rejected.retryAfter().orElseThrow().toNanos();
            assertThat(wait).isLessThanOrEqualTo(longestBlockNanos() + Math.min(ceil(step), WINDOW_NANOS / 2));
            time.advance(wait - STEP);
            assertThat(limiters.tryAcquire(rule, key).permitted()).isFalse();
            time.advance(STEP);
            assertThat(limiters.tryAcquire(rule, key).permitted()).isTrue();
            time.set(before);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 15_000_000_000L, 45_000_000_000L, 3_600_000_000_000L})
    void clockThatStepsBackDoesNotBlockSeveralCharges(long step) {
        Rule rule = rule(100);
        Rule site = Rule.of("site", limit(1000, WINDOW));
        take(rule, 100);
        time.advance(-ceil(step));
        Decision rejected = limiters.tryAcquire(rule.charge("key"), site.charge());
        assertThat(rejected.permitted()).isFalse();
        time.advance(rejected.retryAfter().orElseThrow().toNanos() - STEP);
        assertThat(limiters.tryAcquire(rule.charge("key"), site.charge()).permitted())
                .isFalse();
        time.advance(STEP);
        assertThat(limiters.tryAcquire(rule.charge("key"), site.charge()).permitted())
                .isTrue();
    }

    @Test
    void clockThatJumpsAboutNeverGrantsMoreThanTwiceTheLimitPerWindowThatReallyPasses() {
        Rule rule = rule(10);
        long granted = 0;
        long passed = 0;
        for (int i = 0; i < times(2000); i++) {
            while (limiters.tryAcquire(rule, "key").permitted()) {
                granted++;
            }
            long jump = WINDOW_NANOS * (i % 61);
            time.advance(-jump);
            while (limiters.tryAcquire(rule, "key").permitted()) {
                granted++;
            }
            time.advance(WINDOW_NANOS / 100);
            while (limiters.tryAcquire(rule, "key").permitted()) {
                granted++;
            }
            passed++;
            time.advance(jump - jump / 100 * (i % 3));
            if (i % 3 == 0) {
                // forward again: that much time may count as passed
                passed += jump / (WINDOW_NANOS / 100);
            }
        }
        assertThat(granted).isLessThanOrEqualTo(20 * (passed / 100 + 2));
    }

    @Test
    void clockThatStepsBackToTheEpochAndOnKeepsTheBound() {
        Rule rule = rule(100);
        take(rule, 100);
        time.set(0);
        assertThat(take(rule, 1).permitted()).isFalse();
        time.advance(longestBlockNanos());
        assertThat(take(rule, 1).permitted()).isTrue();
        time.set((1L << 62) - 2 * WINDOW_NANOS);
        assertThat(take(rule, 100).permitted()).isTrue();
        assertThat(take(rule, 1).permitted()).isFalse();
    }
}
