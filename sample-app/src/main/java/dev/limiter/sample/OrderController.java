package dev.limiter.sample;

import dev.limiter.Algorithm;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {

    private static final List<Order> ORDERS = List.of(new Order(1, "tea"), new Order(2, "coffee"));

    // A key: each API key has its own 100 an hour; all requests without one share another.
    @RateLimiter(limit = 100, window = "1h", key = "header:X-Api-Key")
    @GetMapping("/orders")
    List<Order> list() {
        return ORDERS;
    }

    // A named rule: limit and window stand in application.yml, under limiter.rules.checkout.
    @RateLimiter("checkout")
    @PostMapping("/orders")
    Order checkout() {
        return ORDERS.get(0);
    }

    // The automatic limit: nothing here and no rule for the path, so limiter.web.default-limit applies.
    @GetMapping("/orders/{id}")
    Order get(@PathVariable long id) {
        return new Order(id, "tea");
    }

    // Two limits on one rule: limiter.rules.payments has a burst and an hourly limit, and both must permit.
    @PostMapping("/orders/{id}/payment")
    String pay(@PathVariable long id) {
        return "paid " + id;
    }

    // A rule by path and method: limiter.rules.reports covers GET below /reports.
    @GetMapping("/reports/{day}")
    String report(@PathVariable String day) {
        return "2 orders on " + day;
    }

    // Tiers: limiter.rules.catalog has other limits for X-Plan: gold.
    @GetMapping("/catalog")
    List<String> catalog() {
        return List.of("tea", "coffee");
    }

    // A shadow rule: limiter.rules.search counts who would be rejected, and rejects nobody.
    @GetMapping("/search")
    List<Order> search() {
        return ORDERS;
    }

    // How many at once: two exports at a time, whoever asks; each holds its permit until it is done.
    @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 2)
    @GetMapping("/export")
    Callable<String> export(@RequestParam(defaultValue = "2") int seconds) {
        return () -> {
            TimeUnit.SECONDS.sleep(Math.min(seconds, 10));
            return "2 orders";
        };
    }

    // A fallback: over the limit, the method that it names answers instead.
    @RateLimiter(limit = 3, window = "1m", fallback = "bestsellers")
    @GetMapping("/recommendations/{customer}")
    List<String> recommendations(@PathVariable String customer) {
        return List.of("tea for " + customer);
    }

    List<String> bestsellers(String customer, RateLimitExceededException rejection) {
        return List.of("coffee");
    }
}
