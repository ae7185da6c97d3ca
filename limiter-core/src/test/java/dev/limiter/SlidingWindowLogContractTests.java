package dev.limiter;

import java.time.Duration;

/** The contract of sliding logs. */
class SlidingWindowLogContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.slidingWindowLog(limit, window);
    }
}
