package dev.limiter;

import java.time.Duration;

class PacedLeakyBucketContractTests extends PacedContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.leakyBucket(limit, window).paced();
    }
}
