package dev.limiter.sample;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.List;
import org.springframework.stereotype.Service;

@Service
class RecommendationService {

    // A fallback: over the limit of the customer, bestsellers() is called instead.
    @RateLimiter(limit = 3, window = "1m", key = "#customer", fallback = "bestsellers")
    public List<String> of(String customer) {
        return List.of("tea for " + customer);
    }

    List<String> bestsellers(String customer, RateLimitExceededException rejection) {
        return List.of("coffee");
    }
}
