package dev.limiter;

/** The contract of sliding counters with the most sub-windows. */
class SlidingWindowCounterOfThousandContractTests extends SlidingWindowCounterContractTests {

    @Override
    int buckets() {
        return 1000;
    }
}
