package dev.limiter;

/** Two of the same limit on one rule answer as one. */
class TwoFixedWindowsContractTests extends FixedWindowContractTests {

    @Override
    Rule rule(long limit) {
        return Rule.of("rule", limit(limit, WINDOW), limit(limit, WINDOW).named("second"));
    }
}
