package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Limit;
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
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Limits by customer from a bean or an expression. The clock stands still, so no permits refill. */
@Yml("""
        limiter.rules:
          customers: { paths: /customers, key: header:X-Customer, limit: 1, window: 1h,
              limit-resolver: "#{@customers.limitOf(#request.getHeader('X-Customer'))}" }
          contracts: { paths: /contracts, key: header:X-Customer, limit: 1, window: 1h,
              limit-resolver: contractLimits, limit-cache: 0s }
          plans: { paths: /plans, key: header:X-Customer, limit: 1, window: 1h, limit-resolver: contractLimits,
              tiers: { gold: { limit: 4 }, enterprise: { unlimited: true } } }
          several: { paths: /several, key: header:X-Customer, limit-resolver: contractLimits,
              limits: { hourly: { limit: 1, window: 1h }, daily: { limit: 10, window: 24h } } }
          charged: { paths: /charged, key: header:X-Customer, limit: 1, window: 1h,
              charge-if: '#{#response.status < 400}', limit-resolver: contractLimits }
          failing: { paths: /failing, key: header:X-Customer, limit: 1, window: 1h,
              limit-resolver: "#{#request.getHeader('X-Missing').length()}" }
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

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {

        @Bean
        Customers customers() {
            return new Customers();
        }

        @Bean
        LimitResolver contractLimits(Customers customers) {
            return context -> customers.contracts.get(context.request().getHeader("X-Customer"));
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping({"/customers", "/contracts", "/plans", "/several", "/charged", "/failing"})
        String plain() {
            return "plain";
        }
    }
}
