package dev.limiter;

import static dev.limiter.VirtualTime.STEP;

import java.time.Duration;

class SlidingWindowCounterContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.slidingWindowCounter(limit, divisible(window)).buckets(buckets());
    }

    /** Memory has sub-windows that are shorter than a step, too. */
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
}
