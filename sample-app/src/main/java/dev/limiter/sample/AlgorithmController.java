package dev.limiter.sample;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The annotation with each algorithm: 100 requests an hour for each client address. */
@RestController
@RequestMapping("/algorithms")
class AlgorithmController {

    // A bucket of 100 that refills by one every 36 seconds; the default.
    @RateLimiter(limit = 100, window = "1h", key = "ip")
    @GetMapping("/token-bucket")
    String tokenBucket() {
        return "served";
    }

    // The same limit seen from the other side: a bucket that leaks one request every 36 seconds.
    @RateLimiter(limit = 100, window = "1h", key = "ip", algorithm = Algorithm.LEAKY_BUCKET)
    @GetMapping("/leaky-bucket")
    String leakyBucket() {
        return "served";
    }

    // 100 in each full hour.
    @RateLimiter(limit = 100, window = "1h", key = "ip", algorithm = Algorithm.FIXED_WINDOW)
    @GetMapping("/fixed-window")
    String fixedWindow() {
        return "served";
    }

    // 100 in the last hour, counted in 60 steps of a minute.
    @RateLimiter(limit = 100, window = "1h", key = "ip", algorithm = Algorithm.SLIDING_WINDOW_COUNTER, buckets = 60)
    @GetMapping("/sliding-window-counter")
    String slidingWindowCounter() {
        return "served";
    }

    // 100 in the last hour, exact to the nanosecond.
    @RateLimiter(limit = 100, window = "1h", key = "ip", algorithm = Algorithm.SLIDING_WINDOW_LOG)
    @GetMapping("/sliding-window-log")
    String slidingWindowLog() {
        return "served";
    }
}
