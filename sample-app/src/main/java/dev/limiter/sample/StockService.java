package dev.limiter.sample;

import dev.limiter.spring.annotation.RateLimiter;
import org.springframework.stereotype.Service;

/** A class-level annotation, on a bean that is no controller: each public method has a bucket of its own. */
@Service
@RateLimiter(limit = 3, window = "1m")
class StockService {

    public int available() {
        return 40;
    }

    public int reserved() {
        return 2;
    }
}
