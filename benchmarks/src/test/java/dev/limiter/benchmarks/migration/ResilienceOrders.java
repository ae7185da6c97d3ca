package dev.limiter.benchmarks.migration;

import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;

/** A method limited by resilience4j, as {@code from-resilience4j.md} shows it. */
class ResilienceOrders {

    @RateLimiter(name = "orders", fallbackMethod = "busy")
    public String order(String customer) {
        return "ordered";
    }

    public String busy(String customer, RequestNotPermitted exception) {
        return "busy";
    }
}
