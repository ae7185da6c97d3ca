package dev.limiter;

class SlidingWindowCounterOfTwoContractTests extends SlidingWindowCounterContractTests {

    @Override
    int buckets() {
        return 2;
    }
}
