package dev.limiter.compatibility;

import dev.limiter.Algorithm;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** One endpoint per way of limiting. */
@Import({
    LimitedEndpoints.Annotated.class,
    LimitedEndpoints.ByRule.class,
    LimitedEndpoints.Own.class,
    LimitedEndpoints.Stock.class
})
class LimitedEndpoints {

    @RestController
    @RequestMapping("/annotated")
    static class Annotated {

        private final Stock stock;

        Annotated(Stock stock) {
            this.stock = stock;
        }

        @RateLimiter(limit = 100, window = "1h", key = "header:X-Api-Key")
        @GetMapping("/token-bucket")
        String tokenBucket() {
            return "served";
        }

        @RateLimiter(limit = 100, window = "1h", key = "header:X-Api-Key", algorithm = Algorithm.LEAKY_BUCKET)
        @GetMapping("/leaky-bucket")
        String leakyBucket() {
            return "served";
        }

        @RateLimiter(limit = 100, window = "1h", key = "header:X-Api-Key", algorithm = Algorithm.FIXED_WINDOW)
        @GetMapping("/fixed-window")
        String fixedWindow() {
            return "served";
        }

        @RateLimiter(limit = 100, window = "1h", key = "header:X-Api-Key", algorithm = Algorithm.SLIDING_WINDOW_COUNTER)
        @GetMapping("/sliding-window-counter")
        String slidingWindowCounter() {
            return "served";
        }

        @RateLimiter(limit = 100, window = "1h", key = "header:X-Api-Key", algorithm = Algorithm.SLIDING_WINDOW_LOG)
        @GetMapping("/sliding-window-log")
        String slidingWindowLog() {
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

        @GetMapping("/available")
        int available() {
            return stock.available();
        }

        @GetMapping("/reserved")
        int reserved() {
            return stock.reserved();
        }
    }

    @Service
    @RateLimiter(limit = 2, window = "1h")
    static class Stock {

        public int available() {
            return 40;
        }

        public int reserved() {
            return 2;
        }
    }

    @RestController
    static class ByRule {

        @GetMapping({"/rules/{algorithm}", "/automatic/{algorithm}"})
        String limited(@PathVariable String algorithm) {
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

    /** Answers its rejections itself. */
    @RestController
    static class Own {

        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/own")
        String own() {
            return "served";
        }

        @ExceptionHandler(RateLimitExceededException.class)
        ResponseEntity<String> rejected(RateLimitExceededException rejection) {
            return ResponseEntity.status(HttpStatus.I_AM_A_TEAPOT).body("later");
        }
    }
}
