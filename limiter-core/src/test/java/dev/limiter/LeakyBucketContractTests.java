package dev.limiter;

import java.time.Duration;

/** The contract of leaky buckets. */
class LeakyBucketContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.leakyBucket(limit, window);
    }
}
