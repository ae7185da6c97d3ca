package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import reactor.core.publisher.Mono;

/** Each limit of a rule charges a request a different number of permits. The clock stands still. */
@Yml("""
        limiter.rules:
          uploads: { paths: /uploads, key: header:X-User,
              limits: { requests: { limit: 4, window: 1h },
                  bytes: { limit: 1000, window: 1h, cost: "#{T(Long).parseLong(#request.getHeader('Content-Length') ?: '0')}" } },
              tier-by: header:X-Plan, tiers: { gold: { limits: { bytes: { limit: 3000 } } } } }
          saved: { paths: /saved, key: header:X-User, headers: ietf-next, cost: 2, charge-if: failed,
              limits: { requests: { limit: 4, window: 1h }, slots: { limit: 30, window: 1h, cost: 10 } } }
          imports: { limits: { calls: { limit: 4, window: 1h }, rows: { limit: 10, window: 1h, cost: '#p0.size()' } } }
        """)
class CostPerLimitTests extends WebTestSupport {

    private HttpResponse<String> upload(int bytes, String... headers) throws Exception {
        return sendBody("POST", "/uploads", "x".repeat(bytes), headers);
    }

    private static void assertLeft(HttpResponse<?> response, String policies, long requests, long others) {
        String[] names = policies.split(" ");
        assertThat(field(response, "RateLimit"))
                .containsPattern(
                        "^\"" + names[0] + "\";[ra]=" + requests + ";.*, \"" + names[1] + "\";[ra]=" + others + ";");
    }

    @Test
    void bytesRejectWhileRequestsAreLeft() throws Exception {
        String policies = "uploads-requests uploads-bytes";
        String[] alice = {"X-User", "alice"};
        HttpResponse<String> first = upload(600, alice);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(field(first, "RateLimit-Policy"))
                .isEqualTo("\"uploads-requests\";q=4;w=3600, \"uploads-bytes\";q=1000;w=3600");
        assertLeft(first, policies, 3, 400);

        HttpResponse<String> rejected = upload(500, alice);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertLeft(rejected, policies, 3, 400);
        assertThat(rejected.body()).contains("\"violated-policies\":[\"uploads-bytes\"]");
        // 100 bytes refill in 6 minutes
        assertThat(field(rejected, "Retry-After")).isEqualTo("360");

        assertLeft(upload(400, alice), policies, 2, 0);
        assertLeft(upload(0, alice), policies, 1, 0);
        assertThat(upload(1, alice).statusCode()).isEqualTo(429);
        assertLeft(upload(0, alice), policies, 0, 0);
        HttpResponse<String> last = upload(0, alice);
        assertThat(last.statusCode()).isEqualTo(429);
        assertThat(last.body()).contains("\"violated-policies\":[\"uploads-requests\"]");
    }

    @Test
    void requestAboveALimitIsRejectedPermanently() throws Exception {
        HttpResponse<String> rejected = upload(1001, "X-User", "never");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("costs more than the limit uploads-bytes can ever grant");
        assertThat(field(rejected, "Retry-After")).isEmpty();
        assertLeft(upload(1000, "X-User", "never"), "uploads-requests uploads-bytes", 3, 0);
    }

    @Test
    void limitOfATierCostsTheSame() throws Exception {
        String[] gold = {"X-User", "goldie", "X-Plan", "gold"};
        assertLeft(upload(2500, gold), "uploads-requests uploads-bytes", 3, 500);
        assertThat(upload(501, gold).statusCode()).isEqualTo(429);
        assertLeft(upload(500, gold), "uploads-requests uploads-bytes", 2, 0);
    }

    @Test
    void showsEachCostAndRefundsAll() throws Exception {
        String[] alice = {"X-User", "alice"};
        HttpResponse<String> charged = get("/saved?status=409", alice);
        assertThat(charged.statusCode()).isEqualTo(409);
        assertThat(field(charged, "RateLimit"))
                .matches("\"saved-requests\";a=2;w=\\d+;c=2, \"saved-slots\";a=20;w=\\d+;c=10");
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> free = get("/saved?status=200", alice);
            assertThat(free.statusCode()).isEqualTo(200);
            assertLeft(free, "saved-requests saved-slots", 2, 20);
        }
    }

    @Test
    void annotatedMethodHasTheCostsOfTheRule() throws Exception {
        assertLeft(get("/imports?rows=a,b,c"), "imports-calls imports-rows", 3, 7);
        HttpResponse<String> rejected = get("/imports?rows=1,2,3,4,5,6,7,8");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertLeft(rejected, "imports-calls imports-rows", 3, 7);
        assertLeft(get("/imports?rows=1,2,3,4,5,6,7"), "imports-calls imports-rows", 2, 0);
    }

    @TestApplication
    static class Controller {

        @PostMapping("/uploads")
        String upload(@RequestBody(required = false) String body) {
            return body == null ? "nothing" : "stored";
        }

        @GetMapping("/saved")
        ResponseEntity<String> saved(@RequestParam int status) {
            return ResponseEntity.status(status).body("saved");
        }

        @GetMapping("/imports")
        @RateLimiter("imports")
        Mono<String> imports(@RequestParam List<String> rows) {
            return Mono.just("imported " + rows.size());
        }
    }
}
