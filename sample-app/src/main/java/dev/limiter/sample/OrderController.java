package dev.limiter.sample;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {

    private static final List<Order> ORDERS = List.of(new Order(1, "tea"), new Order(2, "coffee"));

    // A key: each API key has 100 requests an hour; requests without an API key share one bucket.
    @RateLimiter(limit = 100, window = "1h", key = "header:X-Api-Key")
    @GetMapping("/orders")
    List<Order> list() {
        return ORDERS;
    }

    // A named rule: limiter.rules.checkout in application.yml sets key, limit and window.
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

    // Two limits on one rule: limiter.rules.payments limits each order, in 10 seconds and in an hour.
    @PostMapping("/orders/{id}/payment")
    String pay(@PathVariable long id) {
        return "paid " + id;
    }

    // A rule by path and method: limiter.rules.reports covers GET requests below /reports.
    @GetMapping("/reports/{day}")
    String report(@PathVariable String day) {
        return "2 orders on " + day;
    }

    // Tiers: limiter.rules.catalog has a higher limit for requests with X-Plan: gold.
    @GetMapping("/catalog")
    List<String> catalog() {
        return List.of("tea", "coffee");
    }

    // A shadow rule: limiter.rules.search counts the requests that it would reject, and rejects none.
    @GetMapping("/search")
    List<Order> search() {
        return ORDERS;
    }

    // Concurrency: exports load the database that all clients share, so at most two run at the same time.
    @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 2, key = "global")
    @GetMapping("/export")
    CompletableFuture<String> export(@RequestParam(defaultValue = "2") int seconds) {
        Executor later = CompletableFuture.delayedExecutor(Math.min(seconds, 10), TimeUnit.SECONDS);
        return CompletableFuture.supplyAsync(() -> "2 orders", later);
    }
}
