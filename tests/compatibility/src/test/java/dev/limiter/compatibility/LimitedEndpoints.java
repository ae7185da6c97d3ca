package dev.limiter.compatibility;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** One endpoint for each way of limiting. */
@Import({LimitedEndpoints.Annotated.class, LimitedEndpoints.ByRule.class})
class LimitedEndpoints {

    @RestController
    @RequestMapping("/annotated")
    static class Annotated {

        @RateLimiter(limit = 100, window = "1h", key = "header:X-Api-Key")
        @GetMapping("/token-bucket")
        String tokenBucket() {
            return "served";
        }

        @RateLimiter("named")
        @GetMapping("/named")
        String named() {
            return "served";
        }

        @RateLimiter(limit = 2, window = "1h", key = "#customer", fallback = "instead")
        @GetMapping("/fallback/{customer}")
        String withFallback(@PathVariable String customer) {
            return "for " + customer;
        }

        String instead(String customer, RateLimitExceededException rejection) {
            return "instead for " + customer + " by "
                    + rejection.decision().limit().limit();
        }
    }

    @RestController
    static class ByRule {

        @GetMapping("/automatic/{name}")
        String automatic(@PathVariable String name) {
            return "served";
        }

        @RequestMapping("/orders/{id}")
        String order(@PathVariable long id) {
            return "order " + id;
        }

        @GetMapping("/mine")
        String mine() {
            return "mine";
        }

        @GetMapping("/shadow")
        String shadow() {
            return "shadow";
        }
    }
}
