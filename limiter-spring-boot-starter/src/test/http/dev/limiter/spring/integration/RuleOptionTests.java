package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.key.KeySource;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

/** The options of a rule next to its limit. The clock stands still, so no permits refill. */
@Yml("""
        limiter:
          web: { trusted-proxies: [127.0.0.1, '::1'], allow: 203.0.113.0/24, deny: 198.51.100.0/24 }
          rules:
            named: { paths: /named, limits: { burst: { limit: 1, window: 1h } },
                tier-by: header:X-Plan, tiers: { enterprise: { unlimited: true } } }
            beside: { paths: /named, limit: 2, window: 1h }
            server: { paths: /server, limit: 1, window: 1h, status: 503 }
            pattern: { paths: /pattern/**, key: '#request.pattern', limit: 1, window: 1h }
            listed: { paths: /listed, limit: 1, window: 1h }
            by-region: { paths: /by-region, key: 'customer:region', limit: 1, window: 1h }
            quota: { paths: /quota, limit: 2, window: 1mo, algorithm: fixed-window, align: calendar, zone: Europe/Berlin }
            next: { headers: ietf-next }
            draft: { paths: /draft, key: "principal|ip,method,header:X-Api-Key,#request.path", cost: 3, limit: 10, window: 1h,
                headers: ietf-next }
            plain: { paths: /draft, headers: ietf, limit: 2, window: 1h }
            watched: { paths: [/watched, /all], limit: 1, window: 1h, scope: endpoint, mode: shadow }
            early: { paths: [/early, /all], phase: request, limit: 1, window: 1h, scope: endpoint, mode: shadow }
            denied: { paths: /denied, limit: 100, window: 1h, deny: [127.0.0.1, '::1'], mode: shadow }
            some: { paths: /some, key: header:X-Customer, limit: 1, window: 1h, rollout: 0.01% }
            candidates: { paths: /candidate, limit: 3, window: 1h, candidate: { limit: 1 } }
            place: { paths: /ruled, limit: 9, window: 1h, key: ip }
            exports: { paths: /exports, key: header:X-User, limit: 2, window: 1h }
        """)
class RuleOptionTests extends WebTestSupport {

    @Test
    void unlimitedTierIsStillLimitedByOtherRules() throws Exception {
        assertThat(field(get("/named", "X-Plan", "enterprise"), "RateLimit-Policy"))
                .isEqualTo("\"beside\";q=2;w=3600");
        assertStatuses(List.of(200, 429), "/named", "X-Plan", "enterprise");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/server", "/annotated", "/exchange"})
    void limitOfTheApplicationGets503(String path) throws Exception {
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
    void annotationOfAnHttpClientCanSet429() throws Exception {
        assertStatuses(List.of(200, 429), "/exchange-for-client");
    }

    @Test
    void expressionsSeeThePatternOfTheEndpoint() throws Exception {
        assertThat(get("/pattern/1").statusCode()).isEqualTo(200);
        assertThat(get("/pattern/2").statusCode()).isEqualTo(429);
        assertThat(get("/pattern/x/y").statusCode()).isEqualTo(200);
    }

    @Test
    void listsOfAllRulesCount() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertStatus(200, "/listed", "X-Forwarded-For", "203.0.113.9");
        }
        assertStatus(403, "/listed", "X-Forwarded-For", "198.51.100.9");
        assertStatuses(List.of(200, 429), "/listed", "X-Forwarded-For", "192.0.2.1");
    }

    @Test
    void answersAsInTheContract() {
        HttpResponse<String> permitted = get("/answer");
        assertThat(permitted.statusCode()).isEqualTo(200);
        assertThat(field(permitted, "RateLimit-Policy")).isEqualTo("\"answer\";q=1;w=60");
        assertThat(field(permitted, "RateLimit")).isEqualTo("\"answer\";r=0;t=60");
        assertThat(field(permitted, "Retry-After")).isEmpty();

        time.advance(Duration.ofMillis(48_500));
        HttpResponse<String> rejected = get("/answer?q=%22");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(field(rejected, "Retry-After")).isEqualTo("12");
        assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"answer\";q=1;w=60");
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"answer\";r=0;t=12");
        assertThat(field(rejected, "Cache-Control")).isEqualTo("no-store");
        assertThat(rejected.body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                        + "\"status\":429,\"detail\":\"The limit answer is used up; retry after 12 s.\","
                        + "\"instance\":\"/answer\",\"violated-policies\":[\"answer\"],"
                        + "\"retry-after\":12}");
    }

    /** Field names of the open change of the draft. */
    @Test
    void containsAvailabilityCostAndPartition() {
        HttpResponse<String> permitted = get("/draft");
        assertThat(field(permitted, "RateLimit-Policy")).isEqualTo("\"draft\";q=10;w=3600, \"plain\";q=2;w=3600");
        assertThat(field(permitted, "RateLimit")).isEqualTo("\"draft\";a=7;w=2520;c=3, \"plain\";r=1;t=1800");
        assertThat(field(permitted, "RateLimit-Partition")).isEqualTo("\"draft\";user_id;ip;method;header;other");
        get("/draft");
        HttpResponse<String> rejected = get("/draft");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"draft\";a=4;w=1440;c=3, \"plain\";r=0;t=1800");
        assertThat(field(rejected, "RateLimit-Partition")).startsWith("\"draft\";user_id");
        HttpResponse<String> annotated = get("/next");
        assertThat(field(annotated, "RateLimit")).isEqualTo("\"next\";a=1;w=1800;c=1");
        assertThat(field(annotated, "RateLimit-Partition")).isEqualTo("\"next\"");
    }

    @Test
    void beansResolvePartsOfKeys() {
        assertStatus(200, "/by-region", "X-Customer", "north-7");
        assertStatus(429, "/by-region", "X-Customer", "north-8");
        assertStatus(200, "/by-region", "X-Customer", "south-7");
        assertStatus(200, "/by-number", "X-Customer", "north-1");
        assertStatus(429, "/by-number", "X-Customer", "south-1");
        assertStatus(200, "/by-number", "X-Customer", "north-2");
    }

    @Test
    void quotaOfAMonthStartsAgainWithTheMonthOfItsZone() {
        time.advanceTo(Instant.parse("2029-02-28T22:59:50Z")); // ten seconds before midnight
        HttpResponse<String> first = get("/quota");
        assertThat(field(first, "RateLimit-Policy")).isEqualTo("\"quota\";q=2;w=2678400"); // a month of 31 days
        assertThat(field(first, "RateLimit")).isEqualTo("\"quota\";r=1;t=10");
        assertStatus(200, "/quota");
        assertThat(field(get("/quota"), "Retry-After")).isEqualTo("10");
        time.advance(Duration.ofSeconds(10).minusNanos(1));
        assertStatus(429, "/quota");
        time.advance(Duration.ofNanos(1));
        // clocks go forward on March 25th, so the month is an hour short of 31 days
        assertThat(field(get("/quota"), "RateLimit")).isEqualTo("\"quota\";r=1;t=" + (31 * 86_400 - 3_600));
    }

    /** Handlers can read which rules in shadow mode would have rejected. */
    @ParameterizedTest
    @CsvSource({
        "/watched, '', [watched]",
        "/early, '', [early]",
        "/all, '', '[early, watched]'",
        "/denied, [denied], [denied]",
        "/some, '', [some]",
        "/candidate, '', ''",
        "/free, '', ''"
    })
    void attributeNamesTheRulesThatWouldHaveRejected(String path, String first, String second) {
        assertThat(get(path).body()).isEqualTo(first);
        assertThat(get(path).body()).isEqualTo(second);
        assertThat(get(path).statusCode()).isEqualTo(200);
    }

    /** Unnamed annotations appear to clients by method name, never by class name. */
    @Test
    void methodsOfTheSameNameAreNumberedInFieldsAndBody() throws Exception {
        HttpResponse<String> permitted = get("/orders");
        assertThat(field(permitted, "RateLimit-Policy")).isEqualTo("\"place\";q=5;w=3600");

        HttpResponse<String> rejected = get("/orders");
        assertThat(field(rejected, "RateLimit-Policy"))
                .isEqualTo("\"place\";q=5;w=3600, \"place-2\";q=1;w=3600, \"place-2-2\";q=7;w=3600");
        assertThat(field(rejected, "RateLimit")).startsWith("\"place\";r=4;");
        assertThat(rejected.body())
                .contains("\"violated-policies\":[\"place-2\"]", "\"detail\":\"The limit place-2 is used up;")
                .doesNotContain("Orders", "Placing");
    }

    @Test
    void aRuleOfTheConfigurationKeepsItsName() throws Exception {
        assertThat(field(get("/ruled"), "RateLimit-Policy")).isEqualTo("\"place\";q=9;w=3600, \"place-2\";q=1;w=3600");

        HttpResponse<String> rejected = get("/ruled");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("\"violated-policies\":[\"place-2\"]");
    }

    @Test
    void requestsAndCodeShareTheBucketOfAKey() {
        assertStatus(200, "/exports", "X-User", "alice");
        assertStatus(200, "/jobs?user=alice");
        assertStatus(429, "/exports", "X-User", "alice");
        assertStatus(200, "/jobs?user=bob");
    }

    @Test
    void rejectionInAHandlerIsThatOfARequest() {
        get("/jobs?user=carol");
        get("/async-jobs?user=carol");

        for (String path : List.of("/jobs?user=carol", "/async-jobs?user=carol")) {
            HttpResponse<String> rejected = get(path);
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(field(rejected, "Retry-After")).isEqualTo("1800");
            assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"exports\";q=2;w=3600");
            assertThat(rejected.body()).contains("\"violated-policies\":[\"exports\"]");
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

    @TestApplication
    @Import({RemoteStandIn.class, Placing.class, RuledPlacing.class, Orders.class})
    static class Endpoints {

        @Bean
        static KeySource customer() {
            return (name, context) ->
                    context.request().getHeader("X-Customer").split("-")[name.equals("region") ? 0 : 1];
        }

        private final Remote remote;
        private final RateLimitTemplate limits;

        Endpoints(Remote remote, RateLimitTemplate limits) {
            this.remote = remote;
            this.limits = limits;
        }

        @GetMapping("/jobs")
        String job(@RequestParam("user") String user) {
            return limits.execute("exports", user, () -> "done");
        }

        @GetMapping("/async-jobs")
        CompletableFuture<String> asyncJob(@RequestParam("user") String user) {
            return limits.executeAsync("exports", user, () -> CompletableFuture.completedFuture("done"));
        }

        @GetMapping({"/exports", "/named", "/server", "/listed", "/by-region", "/quota", "/draft"})
        String plain() {
            return "plain";
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 1, window = "1h", status = 503)
        String annotated() {
            return "annotated";
        }

        @GetMapping("/answer")
        @RateLimiter(limit = 1)
        String answer() {
            return "answer";
        }

        @GetMapping("/next")
        @RateLimiter(name = "next", limit = 2, window = "1h")
        String next() {
            return "next";
        }

        @GetMapping("/by-number")
        @RateLimiter(limit = 1, window = "1h", key = "customer:number")
        String byNumber() {
            return "ok";
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

        @GetMapping({"/watched", "/early", "/all", "/denied", "/some", "/candidate", "/free"})
        String plain(@RequestAttribute(name = "dev.limiter.exceeded", required = false) List<String> exceeded) {
            if (exceeded == null) {
                return "";
            }
            assertThat(exceeded).isUnmodifiable();
            return exceeded.toString();
        }
    }

    @RestController
    static class Placing {

        private final Orders orders;

        Placing(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/orders")
        @RateLimiter(limit = 5, window = "1h")
        String place() {
            return orders.place();
        }
    }

    @RestController
    static class RuledPlacing {

        @GetMapping("/ruled")
        @RateLimiter(limit = 1, window = "1h")
        String place() {
            return "ruled";
        }
    }

    static class Orders {

        @RateLimiter(limit = 1, window = "1h")
        @RateLimiter(limit = 7, window = "1h")
        public String place() {
            return "placed";
        }
    }
}
