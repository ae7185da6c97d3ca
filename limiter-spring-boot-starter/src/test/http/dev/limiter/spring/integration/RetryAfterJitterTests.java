package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A response contains the same retry time in all places. The clock stands still. */
@Yml("""
        limiter:
          web: { retry-after-jitter: 1000s, headers: both }
          rules:
            few: { paths: /few,
                limits: { minute: { limit: 1, window: 1m, algorithm: sliding-window-log },
                    hour: { limit: 1, window: 1h, algorithm: sliding-window-log } } }
            api: { paths: /caught, limit: 5, window: 1h, algorithm: fixed-window }
            returned: { paths: /returned, limit: 5, window: 1h, charge-if: '#{#response.status < 400}' }
        """)
class RetryAfterJitterTests extends WebTestSupport {

    private static final int MOST_SECONDS = 1000;

    @Test
    void allPlacesNameTheSameTime() throws Exception {
        assertThat(get("/few").statusCode()).isEqualTo(200);

        Set<Long> told = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            HttpResponse<String> answer = get("/few");
            assertThat(answer.statusCode()).isEqualTo(429);
            long seconds = Long.parseLong(field(answer, "Retry-After"));
            assertThat(seconds).isBetween(3600L, 3600L + MOST_SECONDS);
            assertThat(field(answer, "RateLimit"))
                    .isEqualTo("\"few-minute\";r=0;t=" + (seconds - 3540) + ", \"few-hour\";r=0;t=" + seconds);
            assertThat(field(answer, "X-RateLimit-Reset")).isEqualTo(Long.toString(seconds));
            assertThat(answer.body()).contains("\"retry-after\":" + seconds, "retry after " + seconds + " s");
            told.add(seconds);
        }
        assertThat(told).hasSizeGreaterThan(1);
    }

    @Test
    void rejectedMethodsHaveTheSameTimeAfterRefunds() throws Exception {
        assertThat(get("/returned").statusCode()).isEqualTo(200);

        for (int i = 0; i < 5; i++) {
            HttpResponse<String> answer = get("/returned");
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(field(answer, "RateLimit"))
                    .contains("\"returned\";r=4;t=", "\"call\";r=0;t=" + field(answer, "Retry-After"));
        }
    }

    @Test
    void handlersOfTheApplicationFindTheExactTime() throws Exception {
        assertThat(get("/caught").statusCode()).isEqualTo(200);

        HttpResponse<String> answer = get("/caught");
        assertThat(answer.statusCode()).isEqualTo(418);
        assertThat(field(answer, "Retry-After")).isEmpty();
        if (!WebStack.REACTIVE) { // a method that returns no publisher does not know the request
            assertThat(field(answer, "RateLimit")).contains("\"api\";r=4;").endsWith("\"caught\";r=0;t=60");
        }
    }

    @Service
    @RateLimiter(limit = 1)
    static class Scarce {

        public String call() {
            return "served";
        }

        public String caught() {
            return "served";
        }
    }

    @TestApplication
    @Import({Catching.class, Scarce.class})
    static class Controller {

        private final Scarce scarce;

        Controller(Scarce scarce) {
            this.scarce = scarce;
        }

        @GetMapping("/few")
        String few() {
            return "served";
        }

        @GetMapping("/returned")
        String returned() {
            return scarce.call();
        }
    }

    @RestController
    static class Catching {

        private final Scarce scarce;

        Catching(Scarce scarce) {
            this.scarce = scarce;
        }

        @GetMapping("/caught")
        String caught() {
            return scarce.caught();
        }

        @ExceptionHandler(RateLimitExceededException.class)
        ResponseEntity<String> own() {
            return ResponseEntity.status(418).body("own");
        }
    }
}
