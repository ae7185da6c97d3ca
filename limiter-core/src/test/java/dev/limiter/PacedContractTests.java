package dev.limiter;

import static dev.limiter.VirtualTime.STEP;
import static dev.limiter.VirtualTime.ceil;
import static dev.limiter.VirtualTime.window;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of every limit that spaces requests evenly, like {@link AlgorithmContractTests}. */
abstract class PacedContractTests {

    private static final Duration WINDOW = Duration.ofMinutes(1);

    final VirtualTime time = new VirtualTime();
    final RateLimiters limiters = TestedStorage.limiters(time, 1000);

    abstract Limit limit(long limit, Duration window);

    Rule rule(long limit) {
        return Rule.of("rule", limit(limit, WINDOW));
    }

    Decision take(Rule rule, long permits) {
        return limiters.tryAcquire(rule, "key", permits);
    }

    private Decision turn(Rule rule, long permits) {
        return limiters.storage().decide(List.of(rule.charge("key", permits).maxWait(Duration.ofDays(1))));
    }

    /** Returns how long one permit makes the next one wait after a long idle time. */
    private Duration first(Rule rule) {
        limiters.tryAcquire(rule, "first");
        Duration first = limiters.peek(rule, "first").retryAfter().orElseThrow();
        limiters.reset(rule, "first");
        return first;
    }

    /** Returns a window in which one permit takes at least a whole step. */
    private static Duration windowOf(long limit, long nanos) {
        return nanos / limit < STEP ? Duration.ofNanos(nanos * STEP) : window(nanos);
    }

    @ParameterizedTest
    @CsvSource({
        "100, 60000000000, 1",
        "100, 60000000000, 7",
        "3, 1000000000, 2",
        "7000000, 1000000000, 1",
        "9999991, 1000000000, 1",
        "9999991, 1000000000, 1000",
        "10000019, 2592000000000000, 1",
        "1, 1000000000, 1",
        "1, 86400000000000, 1"
    })
    void retryAfterAndDelayAreExact(long limit, long windowNanos, long permits) {
        Rule rule = Rule.of("rule", limit(limit, windowOf(limit, windowNanos)));
        assertThat(take(rule, permits).permitted()).isTrue();
        for (int i = 0; i < 40; i++) {
            Duration wait = take(rule, permits).retryAfter().orElseThrow();
            assertThat(limiters.peek(rule, "key").retryAfter()).contains(wait);
            time.advance(wait.minusNanos(STEP));
            assertThat(take(rule, permits).retryAfter()).contains(Duration.ofNanos(STEP));
            time.advance(STEP);
            assertThat(take(rule, permits).permitted()).isTrue();

            Decision turn = turn(rule, permits);
            assertThat(turn.permitted()).isTrue();
            assertThat(turn.delay()).isPositive();
            time.advance(turn.delay());
        }
    }

    @Test
    void rejectsWithoutCharging() {
        Rule rule = rule(100);
        take(rule, 1);
        Duration wait = take(rule, 1).retryAfter().orElseThrow();
        for (int i = 0; i < 50; i++) {
            assertThat(take(rule, 3).permitted()).isFalse();
            assertThat(turn(rule, 101).never()).isTrue();
        }
        assertThat(take(rule, 1).retryAfter()).contains(wait);
    }

    @Test
    void maxWaitBelowTheDelayIsRejectedWithTheTimeWhenItSuffices() {
        Rule rule = rule(100);
        take(rule, 1);
        Duration wait = take(rule, 1).retryAfter().orElseThrow();
        Duration maxWait = ceil(wait.dividedBy(3));
        Charge charge = rule.charge("key").maxWait(maxWait);
        Duration until = limiters.storage().decide(List.of(charge)).retryAfter().orElseThrow();
        assertThat(until).isEqualTo(wait.minus(maxWait));
        time.advance(until.minusNanos(STEP));
        assertThat(limiters.storage().decide(List.of(charge)).permitted()).isFalse();
        time.advance(STEP);
        assertThat(limiters.storage().decide(List.of(charge)).delay()).isEqualTo(maxWait);
    }

    @Test
    void moreThanTheCapacityIsNever() {
        Rule rule = rule(100);
        for (int i = 0; i < 2; i++) {
            Decision never = take(rule, 101);
            assertThat(never.never()).isTrue();
            assertThat(never.retryAfter()).isEmpty();
            MemoryPromises.holds(limiters, i);
            take(rule, 1);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {9_999_991, 10_000_000_000_000L, 100})
    void worksAtAnyTime(long limit) {
        Rule rule = Rule.of("rule", limit(limit, Duration.ofSeconds(1)));
        for (int i = 0; i < 10; i++) {
            assertThat(take(rule, limit + 1).never()).isTrue();
            assertThat(take(rule, 1).permitted()).isTrue();
            assertThat(take(rule, 1).permitted()).isFalse();
            time.advance(Duration.ofDays(400));
        }
    }

    @Test
    void costZeroChargesNothing() {
        Rule rule = rule(100);
        assertThat(take(rule, 0).permitted()).isTrue();
        MemoryPromises.holds(limiters, 0);
        take(rule, 1);
        assertThat(take(rule, 0).permitted()).isTrue();
        assertThat(take(rule, 0).remaining()).isZero();
        assertThat(turn(rule, 0).delay()).isZero();
    }

    @Test
    void refundsTheLastOnceAndNothingThatIsOver() {
        Rule rule = rule(100);
        Decision last = take(rule, 1);
        last.giveBack();
        assertThat(limiters.peek(rule, "key").permitted()).isTrue();
        take(rule, 1);
        last.giveBack();
        assertThat(limiters.peek(rule, "key").permitted()).isFalse();

        Decision turn = turn(rule, 1);
        Duration behind = limiters.peek(rule, "key").retryAfter().orElseThrow();
        turn.giveBack();
        assertThat(limiters.peek(rule, "key").retryAfter()).contains(turn.delay());
        assertThat(turn(rule, 1).delay()).isEqualTo(turn.delay());
        assertThat(limiters.peek(rule, "key").retryAfter()).contains(behind);
    }

    @Test
    void givingBackToAForgottenKeyChangesNothing() {
        Rule rule = rule(100);
        Decision early = take(rule, 1);
        time.advance(early.resetAfter().toNanos());
        MemoryPromises.forgets(limiters, time);
        early.giveBack();
        MemoryPromises.holds(limiters, 0);
        assertThat(take(rule, 1).permitted()).isTrue();
        early.giveBack();
        assertThat(limiters.peek(rule, "key").permitted()).isFalse();
    }

    /** A state in Redis has no identity: permits taken at the same time are returned to its replacement. */
    @Test
    @Tag(MemoryPromises.TAG)
    void givingBackToAResetKeyChangesNothing() {
        Rule rule = rule(100);
        Decision early = take(rule, 1);
        limiters.reset(rule, "key");
        take(rule, 1);
        early.giveBack();
        assertThat(limiters.peek(rule, "key").permitted()).isFalse();
    }

    @Test
    void peekEqualsTheNextTryAcquireAndCreatesNoState() {
        Rule rule = rule(10);
        assertThat(limiters.peek(rule, "key").permitted()).isTrue();
        MemoryPromises.holds(limiters, 0);
        for (int i = 0; i < 500; i++) {
            Decision peek = limiters.peek(rule, "key");
            Decision decision = limiters.tryAcquire(rule, "key");
            assertThat(peek.permitted()).isEqualTo(decision.permitted());
            assertThat(peek.retryAfter()).isEqualTo(decision.retryAfter());
            time.advance(i % 20 == 0 ? -WINDOW.toNanos() * (i % 7) : WINDOW.toNanos() / 23 * (i % 3));
        }
    }

    @Test
    void anotherRateKeepsUsedPermits() {
        take(rule(100), 1);
        turn(rule(100), 1);
        for (long limit : new long[] {1000, 10, 100}) {
            Decision peek = limiters.peek(rule(limit), "key");
            assertThat(peek.permitted()).as("at %d", limit).isFalse();
            assertThat(take(rule(limit), 1).permitted()).isFalse();
            Decision turn = turn(rule(limit), 1);
            assertThat(turn.permitted()).isTrue();
            assertThat(turn.delay()).isEqualTo(peek.retryAfter().orElseThrow());
        }
        MemoryPromises.holds(limiters, 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1_000_000, 600_000_000, 60_000_000_000L, 86_400_000_000_000L})
    void clockThatStepsBackNeitherGrantsNorBlocks(long step) {
        Rule rule = rule(100);
        Duration first = first(rule);
        take(rule, 1);
        time.advance(-ceil(step));
        Decision rejected = take(rule, 1);
        assertThat(rejected.permitted()).isFalse();
        Duration wait = rejected.retryAfter().orElseThrow();
        // the burst at the slowest rate, and no longer than the step
        assertThat(wait).isLessThanOrEqualTo(first.plusNanos(Math.min(ceil(step), 3 * WINDOW.toNanos())));
        time.advance(wait.minusNanos(STEP));
        assertThat(take(rule, 1).permitted()).isFalse();
        time.advance(STEP);
        assertThat(take(rule, 1).permitted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1_000_000, 600_000_000, 20_000_000_000L})
    void smallStepOfTheClockBackKeepsWaitingRequests(long step) {
        Rule rule = rule(100);
        for (int i = 0; i < 50; i++) {
            assertThat(turn(rule, 1).permitted()).isTrue();
        }
        Duration behind = limiters.peek(rule, "key").retryAfter().orElseThrow();
        time.advance(-ceil(step));
        assertThat(turn(rule, 1).delay()).isEqualTo(behind.plusNanos(ceil(step)));
    }

    @Test
    void clockThatJumpsForwardCountsAsIdling() {
        Rule rule = rule(100);
        Duration first = first(rule);
        take(rule, 1);
        time.advance(Duration.ofDays(3000));
        assertThat(take(rule, 1).permitted()).isTrue();
        assertThat(take(rule, 1).retryAfter()).contains(first);
        time.set((1L << 62) - 2 * WINDOW.toNanos());
        assertThat(take(rule, 1).permitted()).isTrue();
        assertThat(take(rule, 1).permitted()).isFalse();
    }
}
