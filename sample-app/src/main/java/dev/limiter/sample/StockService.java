package dev.limiter.sample;

import dev.limiter.spring.annotation.RateLimiter;
import org.springframework.stereotype.Service;

/**
 * An annotation on a class that is not a controller: each public method has its own bucket. It protects the stock system,
 * which all clients share, so the key is global.
 */
@Service
@RateLimiter(limit = 3, window = "1m", key = "global")
class StockService {

    public int available() {
        return 40;
    }

    public int reserved() {
        return 2;
    }
}
