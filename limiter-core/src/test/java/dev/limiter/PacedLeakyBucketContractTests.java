package dev.limiter;

import java.time.Duration;

/** The contract of paced leaky buckets. */
class PacedLeakyBucketContractTests extends PacedContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.leakyBucket(limit, window).paced();
    }
}
