package dev.limiter;

/** Two of the same limit on one rule answer as one. */
class TwoTokenBucketsContractTests extends TokenBucketContractTests {

    @Override
    Rule rule(long limit) {
        return Rule.of("rule", limit(limit, WINDOW), limit(limit, WINDOW).named("second"));
    }
}
