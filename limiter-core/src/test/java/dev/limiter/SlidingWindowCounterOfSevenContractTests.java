package dev.limiter;

class SlidingWindowCounterOfSevenContractTests extends SlidingWindowCounterContractTests {

    @Override
    int buckets() {
        return 7;
    }
}
