package dev.limiter;

import java.time.Duration;

class SlidingWindowCounterContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.slidingWindowCounter(limit, window).buckets(buckets());
    }

    int buckets() {
        return 10;
    }

    @Override
    double longestBlock() {
        return 1 + 1.0 / buckets();
    }
}
