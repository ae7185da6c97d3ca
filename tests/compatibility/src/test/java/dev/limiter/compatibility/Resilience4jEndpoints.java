package dev.limiter.compatibility;

import dev.limiter.spring.annotation.RateLimiter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The annotations of resilience4j and of Limiter, which have the same simple name, side by side. */
@RestController
class Resilience4jEndpoints {

    @io.github.resilience4j.ratelimiter.annotation.RateLimiter(name = "theirs")
    @GetMapping("/theirs")
    String theirs() {
        return "served";
    }

    @RateLimiter(limit = 3, window = "1h")
    @GetMapping("/ours")
    String ours() {
        return "served";
    }
}
