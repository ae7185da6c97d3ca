package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RequestView;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The limits of a rule that depend on who asks. Time stands still, so nothing comes back. */
@TestPropertySource(
        properties = {
            "limiter.rules.plans.paths=/plans",
            "limiter.rules.plans.key=header:X-User",
            "limiter.rules.plans.limit=2",
            "limiter.rules.plans.window=1h",
            "limiter.rules.plans.burst=2",
            "limiter.rules.plans.tier-by=#{@plans.of(#request)}",
            "limiter.rules.plans.tiers.gold.limit=4",
            "limiter.rules.plans.tiers.gold.burst=5",
            "limiter.rules.plans.tiers.bulkUser.algorithm=fixed-window",
            "limiter.rules.plans.tiers.bulkUser.limit=3",
            "limiter.rules.named.paths=/named",
            "limiter.rules.named.key=header:X-User",
            "limiter.rules.named.limits.burst.limit=1",
            "limiter.rules.named.limits.burst.window=1s",
            "limiter.rules.named.limits.daily.limit=10",
            "limiter.rules.named.limits.daily.window=1d",
            "limiter.rules.named.tier-by=cookie:plan|header:X-Plan",
            "limiter.rules.named.tiers.gold.limits.burst.limit=3",
            "limiter.rules.also.paths=/named",
            "limiter.rules.also.limit=100",
            "limiter.rules.also.window=1h",
            "limiter.rules.annotated.tier-by=header:X-Plan",
            "limiter.rules.annotated.tiers.gold.buckets=5",
            "limiter.rules.annotated.tiers.gold.limit=20",
            "limiter.web.default-limit.limit=1",
            "limiter.web.default-limit.window=1h",
            "limiter.web.default-limit.tier-by=header:X-Plan",
            "limiter.web.default-limit.tiers.gold.limit=7",
        })
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
            assertThat(get("/plans", "X-Plan", plan, "X-User", user).statusCode())
                    .isEqualTo(200);
        }
        HttpResponse<String> rejected = get("/plans", "X-Plan", plan, "X-User", user);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"plans\";" + policy);
        assertThat(rejected.body()).contains("\"violated-policies\":[\"plans\"]");
    }

    @Test
    void whatWasUsedStaysUsedWhenTheTierChanges() throws Exception {
        String[] basic = {"X-User", "climber", "X-Plan", "basic"};
        String[] gold = {"X-User", "climber", "X-Plan", "gold"};

        assertThat(get("/plans", basic).statusCode()).isEqualTo(200);
        assertThat(get("/plans", basic).statusCode()).isEqualTo(200);
        assertThat(get("/plans", basic).statusCode()).isEqualTo(429);
        for (int i = 0; i < 3; i++) {
            assertThat(get("/plans", gold).statusCode()).isEqualTo(200); // 2 of 2 are 2 of 5
        }
        assertThat(get("/plans", gold).statusCode()).isEqualTo(429);
        assertThat(get("/plans", basic).statusCode()).isEqualTo(429);
        assertThat(get("/plans", gold).statusCode()).isEqualTo(429);
    }

    @Test
    void expressionThatThrowsIsAnErrorAndTakesNothing() throws Exception {
        assertThat(get("/plans", "X-User", "unlucky", "X-Plan", "broken").statusCode())
                .isEqualTo(500);
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

    @Test
    void automaticLimitHasTiersToo() throws Exception {
        assertThat(field(get("/automatic", "X-Plan", "gold"), "RateLimit-Policy"))
                .isEqualTo("\"default\";q=7;w=3600");
        assertThat(field(get("/automatic"), "RateLimit-Policy")).isEqualTo("\"default\";q=1;w=3600");
    }

    @Test
    void longValuesAreNoTier() throws Exception {
        assertThat(field(get("/automatic", "X-Plan", "g".repeat(5000)), "RateLimit-Policy"))
                .isEqualTo("\"default\";q=1;w=3600");
    }

    static class Plans {

        /** An enum would do as well. */
        public Object of(RequestView request) {
            String plan = request.getHeader("X-Plan");
            if ("broken".equals(plan)) {
                throw new IllegalStateException("No plans today");
            }
            return "none".equals(plan) ? null : plan == null ? Map.of() : plan;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Base.class)
    static class Application {

        @Bean
        Plans plans() {
            return new Plans();
        }

        @RestController
        static class Controller {

            @GetMapping("/plans")
            String plans() {
                return "ok";
            }

            @GetMapping("/named")
            String named() {
                return "ok";
            }

            @GetMapping("/automatic")
            String automatic() {
                return "ok";
            }

            @RateLimiter(name = "annotated", limit = 10, algorithm = Algorithm.SLIDING_WINDOW_COUNTER)
            @GetMapping("/annotated")
            String annotated() {
                return "ok";
            }
        }
    }
}
