package dev.limiter;

import java.time.Duration;

/** The contract of fixed windows that start with the first request. */
class FixedWindowFromFirstContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.fixedWindow(limit, window).alignFirst();
    }
}
