package dev.limiter;

/** Two identical limits in one rule behave like one. */
class TwoFixedWindowsContractTests extends FixedWindowContractTests {

    @Override
    Rule rule(long limit) {
        return Rule.of("rule", limit(limit, WINDOW), limit(limit, WINDOW).named("second"));
    }
}
