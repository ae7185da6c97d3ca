package dev.limiter;

import java.time.Duration;

/** The contract of token buckets. */
class TokenBucketContractTests extends AlgorithmContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.tokenBucket(limit, window);
    }
}
