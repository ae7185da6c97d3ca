package dev.limiter.benchmarks.migration;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;

/** The same method limited by Limiter. */
class LimiterOrders {

    @RateLimiter(name = "orders", fallback = "busy")
    public String order(String customer) {
        return "ordered";
    }

    public String busy(String customer, RateLimitExceededException exception) {
        return "busy";
    }
}
