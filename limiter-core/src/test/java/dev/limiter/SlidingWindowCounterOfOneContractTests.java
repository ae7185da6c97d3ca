package dev.limiter;

/** The contract of sliding counters with a single sub-window. */
class SlidingWindowCounterOfOneContractTests extends SlidingWindowCounterContractTests {

    @Override
    int buckets() {
        return 1;
    }
}
