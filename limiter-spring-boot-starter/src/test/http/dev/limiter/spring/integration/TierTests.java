package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RequestView;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;

/** Limits that depend on the caller. The clock stands still, so no permits refill. */
@Yml("""
        limiter:
          web: { default-limit: { limit: 1, window: 1h, tier-by: header:X-Plan, tiers: { gold: { limit: 7 } } } }
          rules:
            plans: { paths: /plans, key: header:X-User, limit: 2, window: 1h, burst: 2,
                tier-by: '#{@plans.of(#request)}',
                tiers: { gold: { limit: 4, burst: 5 },
                    bulkUser: { algorithm: fixed-window, limit: 3 } } }
            named: { paths: /named, key: header:X-User,
                limits: { burst: { limit: 1, window: 1s }, daily: { limit: 10, window: 1d } },
                tier-by: cookie:plan|header:X-Plan, tiers: { gold: { limits: { burst: { limit: 3 } } } } }
            also: { paths: /named, limit: 100, window: 1h }
            annotated: { tier-by: header:X-Plan, tiers: { gold: { buckets: 5, limit: 20 } } }
        """)
class TierTests extends WebTestSupport {

    @ParameterizedTest
    @CsvSource({
        "gold, a1, 5, q=4;w=3600, r=4",
        "GOLD, a2, 5, q=4;w=3600, r=4",
        "bulk-user, a3, 3, q=3;w=3600, r=2",
        "BULK_USER, a4, 3, q=3;w=3600, r=2",
        "silver, a5, 2, q=2;w=3600, r=1",
        "none, a6, 2, q=2;w=3600, r=1",
        "by, a7, 2, q=2;w=3600, r=1",
    })
    void limitIsThatOfTheTier(String plan, String user, int permitted, String policy, String remaining)
            throws Exception {
        HttpResponse<String> first = get("/plans", "X-Plan", plan, "X-User", user);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(field(first, "RateLimit-Policy")).isEqualTo("\"plans\";" + policy);
        assertThat(field(first, "RateLimit")).startsWith("\"plans\";" + remaining);
        for (int i = 1; i < permitted; i++) {
            assertStatus(200, "/plans", "X-Plan", plan, "X-User", user);
        }
        HttpResponse<String> rejected = get("/plans", "X-Plan", plan, "X-User", user);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"plans\";" + policy);
        assertThat(rejected.body()).contains("\"violated-policies\":[\"plans\"]");
    }

    @Test
    void usedPermitsStayUsedWhenTheTierChanges() throws Exception {
        String[] basic = {"X-User", "climber", "X-Plan", "basic"};
        String[] gold = {"X-User", "climber", "X-Plan", "gold"};

        assertStatuses(List.of(200, 200, 429), "/plans", basic);
        for (int i = 0; i < 3; i++) {
            assertThat(get("/plans", gold).statusCode()).isEqualTo(200); // 2 of 2 are 2 of 5
        }
        assertThat(get("/plans", gold).statusCode()).isEqualTo(429);
        assertThat(get("/plans", basic).statusCode()).isEqualTo(429);
        assertThat(get("/plans", gold).statusCode()).isEqualTo(429);
    }

    @Test
    void expressionThatThrowsIsAnErrorAndTakesNothing() throws Exception {
        assertStatus(500, "/plans", "X-User", "unlucky", "X-Plan", "broken");
        assertThat(field(get("/plans", "X-User", "unlucky"), "RateLimit")).startsWith("\"plans\";r=1");
    }

    @Test
    void namedLimitsAreOverriddenByName() throws Exception {
        assertThat(field(get("/named", "X-User", "n1"), "RateLimit-Policy"))
                .isEqualTo("\"named-burst\";q=1;w=1, \"named-daily\";q=10;w=86400, \"also\";q=100;w=3600");
        HttpResponse<String> gold = get("/named", "X-User", "n2", "X-Plan", "gold");
        assertThat(field(gold, "RateLimit-Policy"))
                .isEqualTo("\"named-burst\";q=3;w=1, \"named-daily\";q=10;w=86400, \"also\";q=100;w=3600");
        assertThat(field(gold, "RateLimit")).startsWith("\"named-burst\";r=2;t=1, \"named-daily\";r=9");
        assertThat(field(get("/named", "X-User", "n3", "Cookie", "plan=gold"), "RateLimit-Policy"))
                .startsWith("\"named-burst\";q=3;w=1");
    }

    @Test
    void completesAnAnnotation() throws Exception {
        assertThat(field(get("/annotated"), "RateLimit-Policy")).isEqualTo("\"annotated\";q=10;w=60");
        assertThat(field(get("/annotated", "X-Plan", "gold"), "RateLimit-Policy"))
                .isEqualTo("\"annotated\";q=20;w=60");
    }

    static class Plans {

        /** An enum would also work. */
        public Object of(RequestView request) {
            String plan = request.getHeader("X-Plan");
            if ("broken".equals(plan)) {
                throw new IllegalStateException("No plans today");
            }
            return "none".equals(plan) ? null : plan == null ? Map.of() : plan;
        }
    }

    @TestApplication
    static class Controller {

        @Bean("plans")
        static Plans plansOfRequests() {
            return new Plans();
        }

        @GetMapping({"/plans", "/named"})
        String served() {
            return "ok";
        }

        @RateLimiter(name = "annotated", limit = 10, algorithm = Algorithm.SLIDING_WINDOW_COUNTER)
        @GetMapping("/annotated")
        String annotated() {
            return "ok";
        }
    }
}
