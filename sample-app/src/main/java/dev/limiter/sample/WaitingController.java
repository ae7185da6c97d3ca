package dev.limiter.sample;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Requests that wait for their turn, start slowly, or go first. */
@RestController
class WaitingController {

    // Pacing: limiter.rules.mails lets one go every half second, and the others wait for up to 3 seconds.
    @PostMapping("/mails")
    String mail() {
        return "sent";
    }

    // A queue: one print at a time; who comes meanwhile waits for up to 5 seconds, three at most.
    @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1, maxWait = "5s", maxWaiting = 3)
    @PostMapping("/prints")
    String print() throws InterruptedException {
        TimeUnit.SECONDS.sleep(1);
        return "printed";
    }

    // Warm-up: after a pause, one every 3 seconds, and within a minute of use one every second.
    @RateLimiter(limit = 1, window = "1s", warmUp = "1m", maxWait = "10s")
    @GetMapping("/prices")
    String prices() {
        return "tea 3, coffee 4";
    }

    // Priority: of the 100 of limiter.rules.quotes, the last 20 are for X-Plan: gold.
    @GetMapping("/quotes")
    String quote() {
        return "tea 3";
    }
}
