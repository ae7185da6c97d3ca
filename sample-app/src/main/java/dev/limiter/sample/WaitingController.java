package dev.limiter.sample;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Requests that wait instead of being rejected, start slowly, or go first. */
@RestController
class WaitingController {

    // Pacing: limiter.rules.mails permits one mail every half second; the others wait for up to 3 seconds.
    @PostMapping("/mails")
    String mail() {
        return "sent";
    }

    // A queue: there is one printer for all, so its key is global. Three requests may wait, for up to 5 seconds.
    @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1, key = "global", maxWait = "5s", maxWaiting = 3)
    @PostMapping("/prints")
    CompletableFuture<String> print() {
        Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
        return CompletableFuture.supplyAsync(() -> "printed", later);
    }

    // Warm-up: a cold cache, shared by all clients, gets one request every 3 seconds, and after a minute one a second.
    @RateLimiter(limit = 1, window = "1s", key = "global", warmUp = "1m", maxWait = "10s")
    @GetMapping("/prices")
    String prices() {
        return "tea 3, coffee 4";
    }

    // Priority: limiter.rules.quotes reserves 20 of 100 permits for requests with X-Plan: gold.
    @GetMapping("/quotes")
    String quote() {
        return "tea 3";
    }
}
