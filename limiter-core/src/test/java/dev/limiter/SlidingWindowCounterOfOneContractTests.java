package dev.limiter;

class SlidingWindowCounterOfOneContractTests extends SlidingWindowCounterContractTests {

    @Override
    int buckets() {
        return 1;
    }
}
