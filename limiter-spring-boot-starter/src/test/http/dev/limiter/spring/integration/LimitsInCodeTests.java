package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.RateLimitTemplate;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** A handler that uses the rule of another path by name. The clock stands still. */
@Yml("""
        limiter.rules:
          exports: { paths: /exports, key: header:X-User, limit: 2, window: 1h }
        """)
class LimitsInCodeTests extends WebTestSupport {

    @Test
    void requestsAndCodeShareTheBucketOfAKey() {
        assertThat(get("/exports", "X-User", "alice").statusCode()).isEqualTo(200);
        assertThat(get("/jobs?user=alice").statusCode()).isEqualTo(200);

        assertThat(get("/exports", "X-User", "alice").statusCode()).isEqualTo(429);
        assertThat(get("/jobs?user=bob").statusCode()).isEqualTo(200);
    }

    @Test
    void rejectionInAHandlerIsThatOfARequest() {
        get("/jobs?user=carol");
        get("/async-jobs?user=carol");

        for (String path : new String[] {"/jobs?user=carol", "/async-jobs?user=carol"}) {
            HttpResponse<String> rejected = get(path);
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(field(rejected, "Retry-After")).isEqualTo("1800");
            assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"exports\";q=2;w=3600");
            assertThat(rejected.body()).contains("\"violated-policies\":[\"exports\"]");
        }
    }

    @TestApplication
    static class Jobs {

        private final RateLimitTemplate limits;

        Jobs(RateLimitTemplate limits) {
            this.limits = limits;
        }

        @GetMapping("/exports")
        String export() {
            return "exported";
        }

        @GetMapping("/jobs")
        String job(@RequestParam("user") String user) {
            return limits.execute("exports", user, () -> "done");
        }

        @GetMapping("/async-jobs")
        CompletableFuture<String> asyncJob(@RequestParam("user") String user) {
            return limits.executeAsync("exports", user, () -> CompletableFuture.completedFuture("done"));
        }
    }
}
