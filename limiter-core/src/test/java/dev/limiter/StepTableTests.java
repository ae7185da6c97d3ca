package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The step tables of other libraries' tests for the same algorithms. */
class StepTableTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters = TestedStorage.limiters(time);

    /** Runs steps: at a time in tenths of a second, requests permits, which are granted or rejected. */
    private void run(Limit limit, Object[]... steps) {
        Rule rule = Rule.of("rule", limit);
        for (int i = 0; i < steps.length; i++) {
            time.set(VirtualTime.START + (int) steps[i][0] * 100_000_000L);
            assertThat(limiters.tryAcquire(rule, "key", (int) steps[i][1]).permitted())
                    .as("step %d of %s", i, limit)
                    .isEqualTo(steps[i][2]);
        }
    }

    private static Object[] step(int tenths, int permits, boolean permitted) {
        return new Object[] {tenths, permits, permitted};
    }

    /** golang.org/x/time/rate, TestLimiterBurst1. */
    @Test
    void tokenBucketOfOne() {
        run(
                Limit.tokenBucket(10, SECOND).burst(1),
                step(0, 1, true),
                step(0, 1, false),
                step(0, 1, false),
                step(1, 1, true),
                step(1, 1, false),
                step(1, 1, false),
                step(2, 2, false),
                step(2, 1, true),
                step(2, 1, false));
    }

    /** golang.org/x/time/rate, TestLimiterBurst3. */
    @Test
    void tokenBucketOfThree() {
        run(
                Limit.tokenBucket(10, SECOND).burst(3),
                step(0, 2, true),
                step(0, 2, false),
                step(0, 1, true),
                step(0, 1, false),
                step(1, 4, false),
                step(2, 1, true),
                step(3, 1, true),
                step(4, 1, true),
                step(4, 1, true),
                step(4, 1, false),
                step(4, 1, false),
                step(9, 3, true),
                step(9, 0, true));
    }

    /**
     * golang.org/x/time/rate, TestLimiterJumpBackwards, except for one permit fewer at the step back: a single number
     * does not record its last access, so nothing refills until the clock has caught up.
     */
    @Test
    void tokenBucketWhenTheClockStepsBack() {
        run(
                Limit.tokenBucket(10, SECOND).burst(3),
                step(1, 1, true),
                step(0, 1, true),
                step(0, 1, false),
                step(0, 1, false),
                step(1, 1, true),
                step(1, 1, false),
                step(1, 1, false),
                step(2, 1, true),
                step(2, 1, false),
                step(2, 1, false));
    }

    /** golang.org/x/time/rate, TestSimultaneousRequests and TestLongRunningQPS, without the threads. */
    @Test
    void tokenBucketOverALongRun() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(100, SECOND));
        long granted = 0;
        for (int i = 0; i < 5 * 1000; i++) {
            granted += limiters.tryAcquire(rule, "key").permitted() ? 1 : 0;
            time.advance(Duration.ofMillis(1));
        }
        assertThat(granted).isEqualTo(100 + 5 * 100 - 1);
    }

    /** governor, gcra: accepts_1_cell, rejects_too_many, one cell per second. */
    @Test
    void gcraOfOne() {
        run(Limit.leakyBucket(1, SECOND), step(0, 1, true), step(0, 1, false), step(9, 1, false), step(10, 1, true));
        run(Limit.leakyBucket(1, SECOND), step(100, 1, true), step(115, 1, true), step(120, 1, false));
    }

    /** governor, direct: rejects_too_many, two cells per second. */
    @Test
    void gcraOfTwo() {
        run(
                Limit.leakyBucket(2, SECOND),
                step(0, 1, true),
                step(0, 1, true),
                step(0, 1, false),
                step(2, 1, false),
                step(5, 1, true),
                step(5, 1, false),
                step(20, 1, true),
                step(20, 1, true),
                step(20, 1, false));
    }

    /** governor, direct: rejects_too_many_all and never_allows_more_than_capacity, five cells per second. */
    @Test
    void gcraOfSeveralCells() {
        run(
                Limit.leakyBucket(5, SECOND),
                step(0, 6, false),
                step(0, 5, true),
                step(0, 1, false),
                step(2, 2, false),
                step(2, 1, true),
                step(10, 5, false),
                step(10, 4, true),
                step(30, 6, false),
                step(30, 5, true),
                step(30, 1, false));
    }

    /** governor, middleware: the time of the next cell and the cells left, as in its snapshot. */
    @Test
    void gcraReportsRetryTimeAndRemaining() {
        Rule rule = Rule.of("rule", Limit.leakyBucket(20, SECOND));
        for (int left = 19; left >= 0; left--) {
            assertThat(limiters.tryAcquire(rule, "key").remaining()).isEqualTo(left);
        }
        assertThat(limiters.tryAcquire(rule, "key").retryAfter()).contains(Duration.ofMillis(50));
        assertThat(limiters.tryAcquire(rule, "key", 3).retryAfter()).contains(Duration.ofMillis(150));
        assertThat(limiters.tryAcquire(rule, "key").resetAfter()).isEqualTo(SECOND);
    }
}
