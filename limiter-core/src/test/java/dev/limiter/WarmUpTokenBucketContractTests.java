package dev.limiter;

import java.time.Duration;

/** The contract of token buckets that warm up. */
class WarmUpTokenBucketContractTests extends PacedContractTests {

    @Override
    Limit limit(long limit, Duration window) {
        return Limit.tokenBucket(limit, window).warmUp(Duration.ofSeconds(30));
    }
}
