package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Limit;
import dev.limiter.spring.annotation.Answer;
import dev.limiter.spring.annotation.RateLimiter;
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
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

/** The options of a rule beside its limit. Time stands still, so no permit comes back. */
@TestPropertySource(
        properties = {
            "limiter.web.trusted-proxies=127.0.0.1,::1",
            "limiter.web.allow=203.0.113.0/24",
            "limiter.web.deny=198.51.100.0/24",
            "limiter.rules.tiers.paths=/tiers",
            "limiter.rules.tiers.limit=1",
            "limiter.rules.tiers.window=1h",
            "limiter.rules.tiers.tiers.by=header:X-Plan",
            "limiter.rules.tiers.tiers.enterprise=unlimited",
            "limiter.rules.named.paths=/named",
            "limiter.rules.named.limits.burst.limit=1",
            "limiter.rules.named.limits.burst.window=1h",
            "limiter.rules.named.tiers.by=header:X-Plan",
            "limiter.rules.named.tiers.enterprise=unlimited",
            "limiter.rules.beside.paths=/named",
            "limiter.rules.beside.limit=2",
            "limiter.rules.beside.window=1h",
            "limiter.rules.server.paths=/server",
            "limiter.rules.server.limit=1",
            "limiter.rules.server.window=1h",
            "limiter.rules.server.answer=server",
            "limiter.rules.pattern.paths=/pattern/**",
            "limiter.rules.pattern.key=#request.pattern",
            "limiter.rules.pattern.limit=1",
            "limiter.rules.pattern.window=1h",
            "limiter.rules.customers.paths=/customers",
            "limiter.rules.customers.key=header:X-Customer",
            "limiter.rules.customers.limit=1",
            "limiter.rules.customers.window=1h",
            "limiter.rules.customers.limit-resolver=#{@customers.limitOf(#request.getHeader('X-Customer'))}",
            "limiter.rules.contracts.paths=/contracts",
            "limiter.rules.contracts.key=header:X-Customer",
            "limiter.rules.contracts.limit=1",
            "limiter.rules.contracts.window=1h",
            "limiter.rules.contracts.limit-resolver=contractLimits",
            "limiter.rules.contracts.limit-cache=0s",
            "limiter.rules.plans.paths=/plans",
            "limiter.rules.plans.key=header:X-Customer",
            "limiter.rules.plans.limit=1",
            "limiter.rules.plans.window=1h",
            "limiter.rules.plans.limit-resolver=contractLimits",
            "limiter.rules.plans.tiers.gold.limit=4",
            "limiter.rules.plans.tiers.enterprise=unlimited",
            "limiter.rules.several.paths=/several",
            "limiter.rules.several.key=header:X-Customer",
            "limiter.rules.several.limits.hourly.limit=1",
            "limiter.rules.several.limits.hourly.window=1h",
            "limiter.rules.several.limits.daily.limit=10",
            "limiter.rules.several.limits.daily.window=24h",
            "limiter.rules.several.limit-resolver=contractLimits",
            "limiter.rules.charged.paths=/charged",
            "limiter.rules.charged.key=header:X-Customer",
            "limiter.rules.charged.limit=1",
            "limiter.rules.charged.window=1h",
            "limiter.rules.charged.charge-if=#{#response.status < 400}",
            "limiter.rules.charged.limit-resolver=contractLimits",
            "limiter.rules.listed.paths=/listed",
            "limiter.rules.listed.limit=1",
            "limiter.rules.listed.window=1h",
        })
@ExtendWith(OutputCaptureExtension.class)
class RuleOptionTests extends WebTestSupport {

    @Autowired
    private Customers customers;

    @Test
    void unlimitedTierIsNotLimited() throws Exception {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = get("/tiers", "X-Plan", "Enterprise");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(field(answer, "RateLimit")).isEmpty();
        }
        assertThat(get("/tiers", "X-Plan", "none").statusCode()).isEqualTo(200);
        assertThat(get("/tiers", "X-Plan", "none").statusCode()).isEqualTo(429);
    }

    @Test
    void unlimitedTierIsStillLimitedByOtherRules() throws Exception {
        assertThat(field(get("/named", "X-Plan", "enterprise"), "RateLimit-Policy"))
                .isEqualTo("\"beside\";q=2;w=3600");
        assertThat(get("/named", "X-Plan", "enterprise").statusCode()).isEqualTo(200);
        assertThat(get("/named", "X-Plan", "enterprise").statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/server", "/annotated", "/exchange"})
    void limitOfTheApplicationsOwnIsNoFaultOfTheClient(String path) throws Exception {
        HttpResponse<String> permitted = get(path);
        HttpResponse<String> refused = get(path);

        assertThat(permitted.statusCode()).isEqualTo(200);
        assertThat(field(permitted, "RateLimit")).isEmpty();
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(field(refused, "Retry-After")).isEqualTo("3600");
        assertThat(field(refused, "RateLimit")).isEmpty();
        assertThat(refused.body()).contains("#temporary-reduced-capacity");
    }

    @Test
    void clientIsToBlameWhereTheAnnotationOfAnHttpClientSaysSo() throws Exception {
        assertThat(get("/exchange-for-client").statusCode()).isEqualTo(200);
        assertThat(get("/exchange-for-client").statusCode()).isEqualTo(429);
    }

    @Test
    void expressionsSeeThePatternOfTheEndpoint() throws Exception {
        assertThat(get("/pattern/1").statusCode()).isEqualTo(200);
        assertThat(get("/pattern/2").statusCode()).isEqualTo(429);
        assertThat(get("/pattern/x/y").statusCode()).isEqualTo(200);
    }

    @Test
    void limitOfACustomerComesFromATable() throws Exception {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = get("/customers", "X-Customer", "three");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(field(answer, "RateLimit-Policy")).isEqualTo("\"customers\";q=3;w=3600");
        }
        assertThat(get("/customers", "X-Customer", "three").statusCode()).isEqualTo(429);
        assertThat(customers.asked).as("remembered").hasValue(1);

        assertThat(get("/customers", "X-Customer", "unknown").statusCode()).isEqualTo(200);
        assertThat(get("/customers", "X-Customer", "unknown").statusCode()).isEqualTo(429);
    }

    @Test
    void changedLimitCountsWhatWasUsed() throws Exception {
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

        HttpResponse<String> answer = get("/" + rule, "X-Customer", customer);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(field(answer, "RateLimit-Policy")).isEqualTo(policy);
    }

    static Stream<Arguments> invalidResults() {
        return Stream.of(
                arguments("plans", 0, "from 1 to"),
                arguments("plans", -1, "from 1 to"),
                arguments("plans", 1.5, "a limit is a whole number of permits"),
                arguments("plans", "silver", "the rule has no tier of this name"),
                arguments("plans", List.of(1), "a limit is a whole number of permits"),
                arguments("plans", Map.of("daily", 5), "the rule has no limits named [daily]"),
                arguments("several", 5, "the rule has named limits; return a map of their names"),
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
                .contains("Rule " + rule, reason, "gets the rule's own limit")
                .doesNotContain("secret of");
    }

    @Test
    void resolverThatFailsGivesTheRulesOwnLimit() throws Exception {
        assertThat(get("/customers", "X-Customer", "broken").statusCode()).isEqualTo(200);
        assertThat(get("/customers", "X-Customer", "broken").statusCode()).isEqualTo(429);
    }

    @Test
    void listsOfAllRulesCount() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/listed", "X-Forwarded-For", "203.0.113.9").statusCode())
                    .isEqualTo(200);
        }
        assertThat(get("/listed", "X-Forwarded-For", "198.51.100.9").statusCode())
                .isEqualTo(403);
        assertThat(get("/listed", "X-Forwarded-For", "192.0.2.1").statusCode()).isEqualTo(200);
        assertThat(get("/listed", "X-Forwarded-For", "192.0.2.1").statusCode()).isEqualTo(429);
    }

    static class Customers {

        final AtomicInteger asked = new AtomicInteger();
        volatile Map<String, Object> contracts = Map.of();

        /** Called by an expression. */
        public Object limitOf(String customer) {
            if (customer.equals("broken")) {
                throw new IllegalStateException("database is down");
            }
            if (customer.equals("three")) {
                asked.incrementAndGet();
                return 3;
            }
            return null;
        }
    }

    @HttpExchange
    interface Remote {

        @GetExchange("/elsewhere")
        String ask();

        @GetExchange("/elsewhere")
        String askForClient();
    }

    @Component
    static class RemoteStandIn implements Remote {

        @Override
        @RateLimiter(limit = 1, window = "1h")
        public String ask() {
            return "asked";
        }

        @Override
        @RateLimiter(limit = 1, window = "1h", answer = Answer.CLIENT)
        public String askForClient() {
            return "asked";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, RemoteStandIn.class, Endpoints.class})
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

        private final Remote remote;

        Endpoints(Remote remote) {
            this.remote = remote;
        }

        @GetMapping({
            "/tiers",
            "/named",
            "/server",
            "/customers",
            "/contracts",
            "/charged",
            "/listed",
            "/plans",
            "/several"
        })
        String plain() {
            return "plain";
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 1, window = "1h", answer = Answer.SERVER)
        String annotated() {
            return "annotated";
        }

        @GetMapping("/exchange")
        String exchange() {
            return remote.ask();
        }

        @GetMapping("/exchange-for-client")
        String exchangeForClient() {
            return remote.askForClient();
        }

        @GetMapping("/pattern/{id}")
        String pattern() {
            return "pattern";
        }

        @GetMapping("/pattern/{id}/{part}")
        String longer() {
            return "longer";
        }
    }
}
