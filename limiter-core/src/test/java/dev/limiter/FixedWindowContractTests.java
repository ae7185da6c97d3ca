package dev.limiter;

import java.time.Duration;

/** The contract of fixed windows that are aligned to the epoch. */
class FixedWindowContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.fixedWindow(limit, window);
    }
}
