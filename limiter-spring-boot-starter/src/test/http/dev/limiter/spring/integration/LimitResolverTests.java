package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.rule.LimitResolver;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;

/** Limits that depend on the caller: tiers, and limits from a bean or an expression. The clock stands still, so no permits refill. */
@Yml("""
        limiter.rules:
          customers: { paths: /customers, key: header:X-Customer, limit: 1, window: 1h,
              limit-resolver: "#{@customers.limitOf(#request.getHeader('X-Customer'))}" }
          contracts: { paths: /contracts, key: header:X-Customer, limit: 1, window: 1h, limit-resolver: contractLimits,
              limit-cache: 0s }
          plans: { paths: /plans, key: header:X-Customer, limit: 1, window: 1h, limit-resolver: contractLimits,
              tiers: { gold: { limit: 4 }, enterprise: { unlimited: true } } }
          several: { paths: /several, key: header:X-Customer, limit-resolver: contractLimits,
              limits: { hourly: { limit: 1, window: 1h }, daily: { limit: 10, window: 24h } } }
          charged: { paths: /charged, key: header:X-Customer, limit: 1, window: 1h, limit-resolver: contractLimits,
              charge-if: '#{#response.status < 400}' }
          failing: { paths: /failing, key: header:X-Customer, limit: 1, window: 1h,
              limit-resolver: "#{#request.getHeader('X-Missing').length()}" }
          tiered: { paths: /tiered, key: header:X-User, limit: 2, window: 1h, burst: 2,
              tier-by: '#{@plans.of(#request)}',
              tiers: { gold: { limit: 4, burst: 5 }, bulkUser: { algorithm: fixed-window, limit: 3 } } }
          named: { paths: /named, key: header:X-User,
              limits: { burst: { limit: 1, window: 1s }, daily: { limit: 10, window: 1d } },
              tier-by: cookie:plan|header:X-Plan, tiers: { gold: { limits: { burst: { limit: 3 } } } } }
          also: { paths: /named, limit: 100, window: 1h }
          annotated: { tier-by: header:X-Plan, tiers: { gold: { buckets: 5, limit: 20 } } }
        """)
@ExtendWith(OutputCaptureExtension.class)
class LimitResolverTests extends WebTestSupport {

    @Autowired
    private Customers customers;

    @Test
    void limitOfACustomerComesFromATable() throws Exception {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = get("/customers", "X-Customer", "three");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(field(response, "RateLimit-Policy")).isEqualTo("\"customers\";q=3;w=3600");
        }
        assertThat(get("/customers", "X-Customer", "three").statusCode()).isEqualTo(429);
        assertThat(customers.asked).as("remembered").hasValue(1);

        assertThat(get("/customers", "X-Customer", "unknown").statusCode()).isEqualTo(200);
        assertThat(get("/customers", "X-Customer", "unknown").statusCode()).isEqualTo(429);
    }

    @Test
    void changedLimitKeepsUsedPermits() throws Exception {
        assertThat(get("/contracts", "X-Customer", "a").statusCode()).isEqualTo(200);
        assertThat(get("/contracts", "X-Customer", "a").statusCode()).isEqualTo(429);
        customers.contracts = Map.of("a", Limit.fixedWindow(2, Duration.ofHours(2)));
        assertThat(field(get("/contracts", "X-Customer", "a"), "RateLimit")).startsWith("\"contracts\";r=0;");
        assertThat(get("/contracts", "X-Customer", "a").statusCode()).isEqualTo(429);
    }

    static Stream<Arguments> results() {
        String unlimited = "";
        return Stream.of(
                arguments("plans", 3, "\"plans\";q=3;w=3600"),
                arguments("plans", Limit.fixedWindow(2, Duration.ofHours(2)), "\"plans\";q=2;w=7200"),
                arguments("plans", "gold", "\"plans\";q=4;w=3600"),
                arguments("plans", "Enterprise", unlimited),
                arguments("plans", Optional.of(3), "\"plans\";q=3;w=3600"),
                arguments("plans", Map.of("", 3), "\"plans\";q=3;w=3600"),
                arguments(
                        "several",
                        Map.of("daily", 20),
                        "\"several-hourly\";q=1;w=3600, \"several-daily\";q=20;w=86400"),
                arguments(
                        "several",
                        Map.of("hourly", Limit.tokenBucket(5, Duration.ofHours(2))),
                        "\"several-hourly\";q=5;w=7200, \"several-daily\";q=10;w=86400"));
    }

    @ParameterizedTest
    @MethodSource("results")
    void resolverReturnsLimitsInSeveralForms(String rule, Object result, String policy) throws Exception {
        String customer = "customer of " + rule + result;
        customers.contracts = Map.of(customer, result);

        HttpResponse<String> response = get("/" + rule, "X-Customer", customer);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(field(response, "RateLimit-Policy")).isEqualTo(policy);
    }

    static Stream<Arguments> invalidResults() {
        return Stream.of(
                arguments("plans", 0, "from 1 to"),
                arguments("plans", -1, "from 1 to"),
                arguments("plans", 1.5, "a limit must be a whole number of permits"),
                arguments("plans", "silver", "the rule has no tier of this name"),
                arguments("plans", List.of(1), "a limit must be a whole number of permits"),
                arguments("plans", Map.of("daily", 5), "the rule has no limits named [daily]"),
                arguments("several", 5, "the rule has named limits. Return a map from name to limit"),
                arguments("several", Map.of("dayly", 5), "the rule has no limits named [dayly]"),
                arguments("charged", Limit.concurrency(1), "concurrency"));
    }

    @ParameterizedTest
    @MethodSource("invalidResults")
    void invalidResultGivesTheRulesOwnLimitAndOneLineInTheLog(
            String rule, Object result, String reason, CapturedOutput output) throws Exception {
        String customer = "secret of " + rule + result;
        customers.contracts = Map.of(customer, result);

        assertThat(get("/" + rule, "X-Customer", customer).statusCode()).isEqualTo(200);
        assertThat(get("/" + rule, "X-Customer", customer).statusCode()).isEqualTo(429);

        assertThat(output.getOut().lines().filter(line -> line.contains("limit-resolver returned " + result)))
                .singleElement()
                .asString()
                .contains("Rule " + rule, reason, "The rule's own limit applies to the key")
                .doesNotContain("secret of");
    }

    @Test
    void resolverThatFailsGivesTheRulesOwnLimit() throws Exception {
        assertThat(get("/failing", "X-Customer", "acme").statusCode()).isEqualTo(200);
        assertThat(get("/failing", "X-Customer", "acme").statusCode()).isEqualTo(429);
    }

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
        HttpResponse<String> first = get("/tiered", "X-Plan", plan, "X-User", user);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(field(first, "RateLimit-Policy")).isEqualTo("\"tiered\";" + policy);
        assertThat(field(first, "RateLimit")).startsWith("\"tiered\";" + remaining);
        for (int i = 1; i < permitted; i++) {
            assertStatus(200, "/tiered", "X-Plan", plan, "X-User", user);
        }
        HttpResponse<String> rejected = get("/tiered", "X-Plan", plan, "X-User", user);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"tiered\";" + policy);
        assertThat(rejected.body()).contains("\"violated-policies\":[\"tiered\"]");
    }

    @Test
    void usedPermitsStayUsedWhenTheTierChanges() throws Exception {
        String[] basic = {"X-User", "climber", "X-Plan", "basic"};
        String[] gold = {"X-User", "climber", "X-Plan", "gold"};

        assertStatuses(List.of(200, 200, 429), "/tiered", basic);
        for (int i = 0; i < 3; i++) {
            assertThat(get("/tiered", gold).statusCode()).isEqualTo(200); // 2 of 2 are 2 of 5
        }
        assertThat(get("/tiered", gold).statusCode()).isEqualTo(429);
        assertThat(get("/tiered", basic).statusCode()).isEqualTo(429);
        assertThat(get("/tiered", gold).statusCode()).isEqualTo(429);
    }

    @Test
    void expressionThatThrowsIsAnErrorAndTakesNothing() throws Exception {
        assertStatus(500, "/tiered", "X-User", "unlucky", "X-Plan", "broken");
        assertThat(field(get("/tiered", "X-User", "unlucky"), "RateLimit")).startsWith("\"tiered\";r=1");
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

    static class Customers {

        final AtomicInteger asked = new AtomicInteger();
        volatile Map<String, Object> contracts = Map.of();

        /** Called by an expression. */
        public Object limitOf(String customer) {
            if (customer.equals("three")) {
                asked.incrementAndGet();
                return 3;
            }
            return null;
        }
    }

    @TestApplication
    static class Endpoints {

        @Bean("plans")
        static Plans plansOfRequests() {
            return new Plans();
        }

        @Bean
        static Customers customers() {
            return new Customers();
        }

        @Bean
        static LimitResolver contractLimits(Customers customers) {
            return context -> customers.contracts.get(context.request().getHeader("X-Customer"));
        }

        @GetMapping({"/customers", "/contracts", "/plans", "/several", "/charged", "/failing", "/tiered", "/named"})
        String plain() {
            return "plain";
        }

        @RateLimiter(name = "annotated", limit = 10, algorithm = Algorithm.SLIDING_WINDOW_COUNTER)
        @GetMapping("/annotated")
        String annotated() {
            return "ok";
        }
    }
}
