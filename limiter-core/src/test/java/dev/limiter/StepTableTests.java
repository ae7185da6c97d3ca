package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The step tables of other libraries' tests for the same algorithms. */
class StepTableTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters = TestedStorage.limiters(time);

    /** Runs steps: at a time in tenths of a second, requests permits, which are granted (+) or rejected (-). */
    private void run(Limit limit, String steps) {
        Rule rule = Rule.of("rule", limit);
        for (String step : steps.split(", ")) {
            String[] words = step.split(" ");
            time.set(VirtualTime.START + Integer.parseInt(words[0]) * 100_000_000L);
            assertThat(limiters.tryAcquire(rule, "key", Long.parseLong(words[1]))
                            .permitted())
                    .as("%s of %s", step, limit)
                    .isEqualTo(words[2].equals("+"));
        }
    }

    /** golang.org/x/time/rate, TestLimiterBurst1. */
    @Test
    void tokenBucketOfOne() {
        run(Limit.tokenBucket(10, SECOND).burst(1), "0 1 +, 0 1 -, 0 1 -, 1 1 +, 1 1 -, 1 1 -, 2 2 -, 2 1 +, 2 1 -");
    }

    /** golang.org/x/time/rate, TestLimiterBurst3. */
    @Test
    void tokenBucketOfThree() {
        run(
                Limit.tokenBucket(10, SECOND).burst(3),
                "0 2 +, 0 2 -, 0 1 +, 0 1 -, 1 4 -, 2 1 +, 3 1 +, 4 1 +, 4 1 +, 4 1 -, 4 1 -, 9 3 +, 9 0 +");
    }

    /**
     * golang.org/x/time/rate, TestLimiterJumpBackwards, except for one permit fewer at the step back: a single number
     * does not record its last access, so nothing refills until the clock has caught up.
     */
    @Test
    void tokenBucketWhenTheClockStepsBack() {
        run(
                Limit.tokenBucket(10, SECOND).burst(3),
                "1 1 +, 0 1 +, 0 1 -, 0 1 -, 1 1 +, 1 1 -, 1 1 -, 2 1 +, 2 1 -, 2 1 -");
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
        run(Limit.leakyBucket(1, SECOND), "0 1 +, 0 1 -, 9 1 -, 10 1 +");
        run(Limit.leakyBucket(1, SECOND), "100 1 +, 115 1 +, 120 1 -");
    }

    /** governor, direct: rejects_too_many, two cells per second. */
    @Test
    void gcraOfTwo() {
        run(Limit.leakyBucket(2, SECOND), "0 1 +, 0 1 +, 0 1 -, 2 1 -, 5 1 +, 5 1 -, 20 1 +, 20 1 +, 20 1 -");
    }

    /** governor, direct: rejects_too_many_all and never_allows_more_than_capacity, five cells per second. */
    @Test
    void gcraOfSeveralCells() {
        run(Limit.leakyBucket(5, SECOND), "0 6 -, 0 5 +, 0 1 -, 2 2 -, 2 1 +, 10 5 -, 10 4 +, 30 6 -, 30 5 +, 30 1 -");
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
