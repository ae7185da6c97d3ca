package dev.limiter;

class SlidingWindowCounterOfThousandContractTests extends SlidingWindowCounterContractTests {

    @Override
    int buckets() {
        return 1000;
    }
}
