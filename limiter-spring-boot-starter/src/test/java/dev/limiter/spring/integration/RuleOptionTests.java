package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.rule.LimitResolver;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
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
            "limiter.rules.tiers.tier-by=header:X-Plan",
            "limiter.rules.tiers.tiers.enterprise.unlimited=true",
            "limiter.rules.named.paths=/named",
            "limiter.rules.named.limits.burst.limit=1",
            "limiter.rules.named.limits.burst.window=1h",
            "limiter.rules.named.tier-by=header:X-Plan",
            "limiter.rules.named.tiers.enterprise.unlimited=true",
            "limiter.rules.beside.paths=/named",
            "limiter.rules.beside.limit=2",
            "limiter.rules.beside.window=1h",
            "limiter.rules.server.paths=/server",
            "limiter.rules.server.limit=1",
            "limiter.rules.server.window=1h",
            "limiter.rules.server.status=503",
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
        HttpResponse<String> rejected = get(path);

        assertThat(permitted.statusCode()).isEqualTo(200);
        assertThat(field(permitted, "RateLimit")).isEmpty();
        assertThat(rejected.statusCode()).isEqualTo(503);
        assertThat(field(rejected, "Retry-After")).isEqualTo("3600");
        assertThat(field(rejected, "RateLimit")).isEmpty();
        assertThat(rejected.body()).contains("#temporary-reduced-capacity");
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

    @Test
    void limitThatIsNoneFailsTheRequestForTheLastPermitOfTheKeyless() throws Exception {
        assertThat(get("/customers", "X-Customer", "broken").statusCode()).isEqualTo(500);
        assertThat(get("/customers", "X-Customer", "broken").statusCode()).isEqualTo(429);
        assertThat(get("/customers", "X-Customer", "other").statusCode()).isEqualTo(200);
    }

    @Test
    void limitThatTheRuleCannotHaveFailsTheRequest() throws Exception {
        customers.contracts = Map.of("b", Limit.concurrency(1));
        assertThat(get("/charged", "X-Customer", "b").statusCode()).isEqualTo(500);
        assertThat(get("/charged", "X-Customer", "c").statusCode()).isEqualTo(200);
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
        volatile Map<String, Limit> contracts = Map.of();

        /** Called by an expression. */
        public Object limitOf(String customer) {
            if (customer.equals("broken")) {
                return 0;
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
        @RateLimiter(limit = 1, window = "1h", status = 429)
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

        @GetMapping({"/tiers", "/named", "/server", "/customers", "/contracts", "/charged", "/listed"})
        String plain() {
            return "plain";
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 1, window = "1h", status = 503)
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
