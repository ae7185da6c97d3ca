package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.test.VirtualTimeSource;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Rules that apply before Spring Security. */
@Yml("""
        limiter:
          web: { default-limit: { limit: 50, window: 1h }, exclude: [/error, /Both/FREE] }
          rules:
            late: { paths: /both/**, limit: 2, window: 1h, key: principal }
            late-too: { paths: /wide/rejected, limit: 1, window: 1h }
            login: { paths: /login, methods: post, phase: request, limit: 2, window: 1h, key: header:X-Test }
            forms: { paths: /login, methods: post, phase: request, key: header:X-Form, limit: 2, window: 1h,
                condition: "#{#request.getHeader('X-Form') != null}",
                charge-if: "#{#response.getHeader('Location') != null && #response.getHeader('Location').contains('error')}" }
            early: { paths: [/both/**, /secret/**, /unknown/**, /static.txt, /gets, /wide/**, /OneCase], phase: request,
                limit: 3, window: 1h, key: header:X-Test }
            pool: { paths: /pool/**, phase: request, algorithm: concurrency, limit: 1 }
            named: { paths: /named, phase: request, limit: 2, window: 1h, scope: rule }
            seen: { paths: /seen, mode: shadow, key: header:X-Test, limit: 10, window: 1h }
            tried: { paths: /tried, rollout: 0.01%, key: header:X-Test, limit: 10, window: 1h }
            barred: { paths: /barred, mode: shadow, deny: [127.0.0.0/8, '::1'], key: header:X-Test, limit: 10, window: 1h }
            failures: { paths: /guarded/**, phase: request, limit: 2, window: 1h, charge-if: '#{#response.status == 401}' }
            rejecting: { paths: /rejecting/**, phase: request, limit: 100, window: 1h, deny: [127.0.0.0/8, '::1'] }
            literal: { paths: /ITEMS/special, limit: 1, window: 1h }
            last: { paths: /both/**, limit: 100, window: 1h, key: header:X-Test }
        """)
class RequestPhaseTests extends WebTestSupport {

    private static final String ALICE = basic("alice:a");

    @Autowired
    private List<RateLimitEvent> events;

    @BeforeEach
    void forget() {
        events.clear();
    }

    @Test
    void countsRequestsHandledBySecurity() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(send("POST", "/login", "X-Test", "login").statusCode()).isEqualTo(302);
        }
        HttpResponse<String> rejected = send("POST", "/login", "X-Test", "login");

        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"login\";q=2;w=3600");
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"login\";r=0;t=1800");
        assertThat(field(rejected, "Retry-After")).isEqualTo("1800");
        assertThat(rejected.body()).contains("\"instance\":\"/login\"", "\"violated-policies\":[\"login\"]");
        assertThat(get("/login", "X-Test", "login").statusCode()).isEqualTo(200);
        assertThat(events).extracting(RateLimitEvent::resource).containsOnly("POST /login");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /secret/x, 401",
        "GET, /unknown/x, 404",
        "GET, /static.txt, 200",
        "POST, /gets, 405",
        "BREW, /gets, 400",
    })
    void countsRequestsThatNeverReachAnEndpoint(String method, String path, int status) throws Exception {
        for (int i = 2; i >= 0; i--) {
            HttpResponse<String> answer = send(method, path, "X-Test", method + path);
            assertThat(answer.statusCode()).isEqualTo(status);
            assertThat(field(answer, "RateLimit")).startsWith("\"early\";r=" + i + ";t=");
        }
        assertThat(send(method, path, "X-Test", method + path).statusCode()).isEqualTo(429);
    }

    @Test
    void limitsStandInTheOrderOfTheRules() throws Exception {
        HttpResponse<String> answer = get("/both/1", "X-Test", "order", "Authorization", ALICE);

        assertThat(answer.body()).isEqualTo("alice");
        assertThat(field(answer, "RateLimit-Policy"))
                .isEqualTo("\"late\";q=2;w=3600, \"early\";q=3;w=3600, \"last\";q=100;w=3600");
        assertThat(field(answer, "RateLimit"))
                .isEqualTo("\"late\";r=1;t=1800, \"early\";r=2;t=2400, \"last\";r=99;t=3564");
    }

    /** The key of the rule "late" is the user, which only the request wrapped by Spring Security contains. */
    @Test
    void laterRulesSeeTheRequestOfSpringSecurity() throws Exception {
        String bob = basic("bob:b");
        for (int i = 0; i < 2; i++) {
            assertStatus(200, "/both/1", "X-Test", "bob" + i, "Authorization", bob);
        }
        assertStatus(429, "/both/1", "X-Test", "bob", "Authorization", bob);
        String carol = basic("carol:c");
        assertStatus(200, "/both/1", "X-Test", "carol", "Authorization", carol);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/wide/rejected", "/wide/annotated"})
    void isRefundedWhenALaterDecisionRejects(String path) throws Exception {
        assertThat(get(path, "X-Test", path).statusCode()).isEqualTo(200);
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> rejected = get(path, "X-Test", path);
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(field(rejected, "RateLimit")).contains("\"early\";r=2;").contains(";r=0;");
        }
        assertThat(remaining("early", "header:x-test=" + path.length() + ":" + path))
                .isEqualTo(2);
    }

    @Test
    void earlyDecisionsAreNotRepeated() throws Exception {
        assertThat(get("/wide/plain", "X-Test", "once").statusCode()).isEqualTo(200);

        assertThat(events).extracting(RateLimitEvent::rule).containsExactly("early");
        assertThat(events).extracting(RateLimitEvent::resource).containsExactly("* /wide/**");
    }

    @Test
    void annotationsOfTheSameNameDoNotCountAgain() throws Exception {
        assertStatuses(List.of(200, 200, 429), "/named");
    }

    /** Rules that reject nothing: in shadow mode, with a tiny rollout, or with denied addresses. */
    @ParameterizedTest
    @CsvSource({"seen, 9", "tried, 9", "barred, 10"})
    void annotationsOfTheSameNameAreNotCountedAgain(String rule, long remaining) {
        assertThat(get("/" + rule, "X-Test", "watched").statusCode()).isEqualTo(200);

        assertThat(events)
                .extracting(RateLimitEvent::rule)
                .filteredOn(rule::equals)
                .hasSize(1);
        assertThat(remaining(rule, "header:x-test=7:watched")).isEqualTo(remaining);
    }

    @Test
    void preflightWithABodyIsCounted() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(preflightWithBody("/wide/shared").statusCode()).isNotEqualTo(429);
        }
        assertThat(preflightWithBody("/wide/shared").statusCode()).isEqualTo(429);
    }

    @Test
    void preflightIsCountedWithoutCors() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(preflight("/wide/plain", "unconfigured").statusCode()).isNotEqualTo(429);
        }
        assertThat(preflight("/wide/plain", "unconfigured").statusCode()).isEqualTo(429);
    }

    private HttpResponse<String> preflight(String path, String key, String... more) throws Exception {
        List<String> fields = new ArrayList<>(
                List.of("X-Test", key, "Origin", "http://example.com", "Access-Control-Request-Method", "GET"));
        fields.addAll(List.of(more));
        return send("OPTIONS", path, fields.toArray(String[]::new));
    }

    private HttpResponse<String> preflightWithBody(String path) throws Exception {
        return sendBody(
                "OPTIONS",
                path,
                "password=x",
                "X-Test",
                "preflight-with-body",
                "Origin",
                "http://example.com",
                "Access-Control-Request-Method",
                "GET");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/pool/plain", "/pool/future", "/pool/failing", "/pool/unknown", "/pool/secret"})
    void permitsAreHeldUntilTheRequestIsDone(String path) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get(path).statusCode()).isNotEqualTo(503);
            await(() -> remaining("pool", "") == 1);
        }
    }

    /** The filter matches the path as sent. Other spellings that reach the endpoint are counted there. */
    @Test
    void pathInAnotherCaseIsCountedAtTheEndpoint() throws Exception {
        for (String path : List.of("/OneCase", "/onecase", "/ONECASE")) {
            assertThat(get(path, "X-Test", "case").statusCode()).isEqualTo(200);
        }
        assertThat(get("/oneCase", "X-Test", "case").statusCode()).isEqualTo(429);
    }

    /** If Spring MVC ignores case, rules do as well. */
    @Test
    void pathsMatchInAnyCaseAtTheEndpoint() {
        assertStatus(200, "/items/special");
        assertStatus(429, "/Items/SPECIAL");
        assertStatus(200, "/items/other");
        assertThat(field(get("/both/free", "Authorization", basic("carol:c")), "RateLimit-Policy"))
                .doesNotContain("late", "last");
        assertThat(field(get("/BOTH/2", "Authorization", basic("carol:c")), "RateLimit-Policy"))
                .contains("\"late\"", "\"last\"");
    }

    /** Spring Security itself rejects wrong passwords. */
    @Test
    void chargeIfFailedChargesOnlyFailures() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(get("/guarded/x", "Authorization", ALICE).statusCode()).isEqualTo(200);
        }
        assertStatus(401, "/guarded/x", "Authorization", basic("alice:b"));
        assertThat(get("/guarded/x", "Authorization", ALICE).statusCode()).isEqualTo(200);
        assertStatus(401, "/guarded/x", "Authorization", basic("alice:c"));
        assertStatus(429, "/guarded/x", "Authorization", basic("alice:d"));
        assertThat(get("/guarded/x", "Authorization", ALICE).statusCode()).isEqualTo(429);
    }

    /** Spring Security redirects after every login, successful or not. */
    @Test
    void wrongPasswordsOfFormsAreCharged() {
        for (int i = 0; i < 3; i++) {
            assertThat(login("a", i).statusCode()).isEqualTo(302);
        }
        for (int i = 3; i < 5; i++) {
            HttpResponse<String> failed = login("wrong", i);
            assertThat(failed.statusCode()).isEqualTo(302);
            assertThat(field(failed, "Location")).endsWith("/login?error");
        }
        assertThat(login("wrong", 5).statusCode()).isEqualTo(429);
        assertThat(login("a", 6).statusCode()).isEqualTo(429);
    }

    /** Each request has a key of its own for the rule "login". */
    private HttpResponse<String> login(String password, int request) {
        return sendBody(
                "POST",
                "/login",
                "username=alice&password=" + password,
                "Content-Type",
                "application/x-www-form-urlencoded",
                "X-Test",
                "form" + request,
                "X-Form",
                "alice");
    }

    @Test
    void deniedAddressesComeNoFurther() throws Exception {
        assertThat(get("/rejecting/x").statusCode()).isEqualTo(403);
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.US_ASCII));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Controller.class, WebStack.Secured.class})
    static class Application {

        @Bean
        VirtualTimeSource time() {
            return new VirtualTimeSource();
        }

        @Bean
        List<RateLimitEvent> events() {
            return new CopyOnWriteArrayList<>();
        }

        @Bean
        RateLimitListener listener(List<RateLimitEvent> events) {
            return events::add;
        }
    }

    @RestController
    static class Controller {

        @GetMapping("/both/{id}")
        String both(Principal principal) {
            return principal.getName();
        }

        @GetMapping({"/gets", "/free", "/OneCase", "/items/{id}", "/guarded/x", "/rejecting/x"})
        String gets() {
            return "ok";
        }

        @GetMapping({"/wide/plain", "/wide/rejected"})
        String wide() {
            return "ok";
        }

        @CrossOrigin("http://example.com")
        @GetMapping("/wide/shared")
        String shared() {
            return "ok";
        }

        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/wide/annotated")
        String annotated() {
            return "ok";
        }

        @RateLimiter("named")
        @GetMapping("/named")
        String named() {
            return "ok";
        }

        @RateLimiter("seen")
        @GetMapping("/seen")
        String seen() {
            return "ok";
        }

        @RateLimiter("tried")
        @GetMapping("/tried")
        String tried() {
            return "ok";
        }

        @RateLimiter("barred")
        @GetMapping("/barred")
        String barred() {
            return "ok";
        }

        @GetMapping("/pool/plain")
        String plain() {
            return "ok";
        }

        @GetMapping("/pool/future")
        CompletableFuture<String> future() {
            return CompletableFuture.supplyAsync(() -> "ok");
        }

        @GetMapping("/pool/failing")
        String failing() {
            throw new IllegalStateException("on purpose");
        }
    }
}
