package dev.limiter;

/** Two identical limits in one rule behave like one. */
class TwoTokenBucketsContractTests extends TokenBucketContractTests {

    @Override
    Rule rule(long limit) {
        return Rule.of("rule", limit(limit, WINDOW), limit(limit, WINDOW).named("second"));
    }
}
