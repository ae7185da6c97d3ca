package dev.limiter;

import static dev.limiter.VirtualTime.STEP;
import static dev.limiter.VirtualTime.ceil;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The contract of sliding counters, and that a clock that steps back does not age permits. */
class SlidingWindowCounterContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.slidingWindowCounter(limit, divisible(window)).buckets(buckets());
    }

    /** Returns a window with sub-windows of at least a step; in memory they may be shorter. */
    private Duration divisible(Duration window) {
        return STEP > 1 && window.toNanos() / STEP < buckets() ? window.multipliedBy(buckets()) : window;
    }

    int buckets() {
        return 10;
    }

    @Override
    double longestBlock() {
        return 1 + 1.0 / buckets();
    }

    @Test
    void clockThatStepsBackToTheEndOfASubWindowDoesNotAgePermits() {
        Rule rule = rule(100);
        long subWindow = WINDOW_NANOS / buckets();
        time.set(ceil(time.now() - time.now() % WINDOW_NANOS + subWindow * 98 / 100));
        take(rule, 99);
        time.advance(ceil(subWindow * 4 / 100));
        take(rule, 1);
        long granted = 100;
        time.advance(-ceil(10 * WINDOW_NANOS - subWindow * 96 / 100));
        long passed = ceil(subWindow * 4 / 100);
        while (passed < WINDOW_NANOS) {
            Decision decision = take(rule, 1);
            long step = decision.permitted()
                    ? 0
                    : ceil(decision.retryAfter().orElseThrow().toNanos());
            granted += decision.permitted() ? 1 : 0;
            passed += step;
            time.advance(step);
        }
        assertThat(granted).isLessThanOrEqualTo(100 + 100 / buckets());
    }
}
