package dev.limiter;

import java.time.Duration;

class FixedWindowFromFirstContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.fixedWindow(limit, window).alignFirst();
    }
}
