package dev.limiter;

import java.time.Duration;

class FixedWindowContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.fixedWindow(limit, window);
    }
}
