package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.test.VirtualTimeSource;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
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
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

/** Rules that decide before Spring Security. */
@TestPropertySource(
        properties = {
            "limiter.rules.late.paths=/both/**",
            "limiter.rules.late.limit=2",
            "limiter.rules.late.window=1h",
            "limiter.rules.late.key=principal",
            "limiter.rules.late-too.paths=/wide/rejected",
            "limiter.rules.late-too.limit=1",
            "limiter.rules.late-too.window=1h",
            "limiter.rules.login.paths=/login",
            "limiter.rules.login.methods=post",
            "limiter.rules.login.phase=request",
            "limiter.rules.login.limit=2",
            "limiter.rules.login.window=1h",
            "limiter.rules.login.key=header:X-Test",
            "limiter.rules.early.paths=/both/**,/secret/**,/unknown/**,/static.txt,/gets,/wide/**,/OneCase",
            "limiter.rules.early.phase=request",
            "limiter.rules.early.limit=3",
            "limiter.rules.early.window=1h",
            "limiter.rules.early.key=header:X-Test",
            "limiter.rules.each.paths=/each/{id},/each/{id}/part",
            "limiter.rules.each.phase=request",
            "limiter.rules.each.scope=endpoint",
            "limiter.rules.each.limit=1",
            "limiter.rules.each.window=1h",
            "limiter.rules.watching.paths=/watched",
            "limiter.rules.watching.phase=request",
            "limiter.rules.watching.mode=shadow",
            "limiter.rules.watching.key=header:X-Test",
            "limiter.rules.watching.limit=1",
            "limiter.rules.watching.window=1h",
            "limiter.rules.broken.paths=/broken",
            "limiter.rules.broken.phase=request",
            "limiter.rules.broken.limit=1",
            "limiter.rules.broken.window=1h",
            "limiter.rules.broken.key=#request.getHeader('X-Nonsense').length()",
            "limiter.rules.pool.paths=/pool/**",
            "limiter.rules.pool.phase=request",
            "limiter.rules.pool.algorithm=concurrency",
            "limiter.rules.pool.limit=1",
            "limiter.rules.named.paths=/named",
            "limiter.rules.named.phase=request",
            "limiter.rules.named.limit=2",
            "limiter.rules.named.window=1h",
            "limiter.rules.named.scope=rule",
            "limiter.rules.seen.paths=/seen",
            "limiter.rules.seen.mode=shadow",
            "limiter.rules.seen.key=header:X-Test",
            "limiter.rules.seen.limit=10",
            "limiter.rules.seen.window=1h",
            "limiter.rules.tried.paths=/tried",
            "limiter.rules.tried.rollout=0.01%",
            "limiter.rules.tried.key=header:X-Test",
            "limiter.rules.tried.limit=10",
            "limiter.rules.tried.window=1h",
            "limiter.rules.barred.paths=/barred",
            "limiter.rules.barred.mode=shadow",
            "limiter.rules.barred.deny=127.0.0.0/8,::1",
            "limiter.rules.barred.key=header:X-Test",
            "limiter.rules.barred.limit=10",
            "limiter.rules.barred.window=1h",
            "limiter.rules.failures.paths=/guarded/**",
            "limiter.rules.failures.phase=request",
            "limiter.rules.failures.limit=2",
            "limiter.rules.failures.window=1h",
            "limiter.rules.failures.charge-if=#{#response.status == 401}",
            "limiter.rules.rejecting.paths=/rejecting/**",
            "limiter.rules.rejecting.phase=request",
            "limiter.rules.rejecting.limit=100",
            "limiter.rules.rejecting.window=1h",
            "limiter.rules.rejecting.deny=127.0.0.0/8,::1",
            "limiter.rules.banning.paths=/banning/**",
            "limiter.rules.banning.phase=request",
            "limiter.rules.banning.key=ip",
            "limiter.rules.banning.limit=1",
            "limiter.rules.banning.window=1h",
            "limiter.rules.banning.ban.after=2",
            "limiter.rules.banning.ban.within=1m",
            "limiter.rules.banning.ban.for=15m",
            "limiter.rules.last.paths=/both/**",
            "limiter.rules.last.limit=100",
            "limiter.rules.last.window=1h",
            "limiter.rules.last.key=header:X-Test",
            "limiter.web.default-limit.limit=50",
            "limiter.web.default-limit.window=1h",
            "limiter.web.exclude=/error,/wide/excluded",
        })
class RequestPhaseTests extends WebTestSupport {

    private static final String ALICE = basic("alice:a");

    @Autowired
    private RateLimiters limiters;

    @Autowired
    private Rules rules;

    @Autowired
    private List<RateLimitEvent> events;

    @BeforeEach
    void forget() {
        events.clear();
    }

    @Test
    void countsWhatSecurityHandlesItself() throws Exception {
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
    void countsWhatNeverReachesAnEndpoint(String method, String path, int status) throws Exception {
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

    /** The key of the rule "late" is the user, whom only the request knows that Spring Security has wrapped. */
    @Test
    void laterRulesSeeWhatSecurityMadeOfTheRequest() throws Exception {
        String bob = basic("bob:b");
        for (int i = 0; i < 2; i++) {
            assertThat(get("/both/1", "X-Test", "bob" + i, "Authorization", bob).statusCode())
                    .isEqualTo(200);
        }
        assertThat(get("/both/1", "X-Test", "bob", "Authorization", bob).statusCode())
                .isEqualTo(429);
        String carol = basic("carol:c");
        assertThat(get("/both/1", "X-Test", "carol", "Authorization", carol).statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/wide/rejected", "/wide/annotated"})
    void isGivenBackWhenALaterDecisionRejects(String path) throws Exception {
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
    void whatIsDecidedOnArrivalIsNotDecidedAgain() throws Exception {
        assertThat(get("/wide/plain", "X-Test", "once").statusCode()).isEqualTo(200);

        assertThat(events).extracting(RateLimitEvent::rule).containsExactly("early");
        assertThat(events).extracting(RateLimitEvent::resource).containsExactly("* /wide/**");
    }

    @Test
    void annotationsOfTheSameNameDoNotCountAgain() throws Exception {
        assertThat(get("/named").statusCode()).isEqualTo(200);
        assertThat(get("/named").statusCode()).isEqualTo(200);
        assertThat(get("/named").statusCode()).isEqualTo(429);
    }

    /** Rules that only watch: all keys, nearly all, or addresses that they would deny. */
    @ParameterizedTest
    @CsvSource({"seen, 9", "tried, 9", "barred, 10"})
    void annotationsOfTheSameNameDoNotWatchAgain(String rule, long remaining) {
        assertThat(get("/" + rule, "X-Test", "watched").statusCode()).isEqualTo(200);

        assertThat(events)
                .extracting(RateLimitEvent::rule)
                .filteredOn(rule::equals)
                .hasSize(1);
        assertThat(remaining(rule, "header:x-test=7:watched")).isEqualTo(remaining);
    }

    @Test
    void theAutomaticLimitStaysAway() throws Exception {
        assertThat(field(get("/wide/plain", "X-Test", "auto"), "RateLimit")).doesNotContain("default");
        assertThat(field(get("/free"), "RateLimit")).contains("default");
        assertThat(field(get("/watched"), "RateLimit"))
                .as("a rule that only watches")
                .contains("default");
    }

    /** Before the endpoint is known, the paths of the rule stand for it: no value makes a bucket, nor does a method. */
    @Test
    void eachPathHasABudgetWithScopeEndpoint() throws Exception {
        assertThat(get("/each/1").statusCode()).isEqualTo(200);
        assertThat(get("/each/2").statusCode()).isEqualTo(429);
        assertThat(send("BREW", "/each/3").statusCode()).isEqualTo(429);
        assertThat(get("//each/./4;x=1").statusCode()).isNotEqualTo(200);
        assertThat(get("/each/1/part").statusCode()).isEqualTo(200);
        assertThat(get("/each/2/part").statusCode()).isEqualTo(429);
    }

    @Test
    void shadowRulesRejectNobodyAndSayNothing() throws Exception {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = get("/watched", "X-Test", "shadow");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(field(answer, "RateLimit")).doesNotContain("watching");
        }
        assertThat(events)
                .filteredOn(event -> event.rule().equals("watching"))
                .extracting(event -> event.outcome().tag())
                .containsExactly("permitted", "shadow-rejected", "shadow-rejected");
    }

    @Test
    void whatCannotBeDecidedIsAnsweredWith500() throws Exception {
        assertThat(get("/broken").statusCode()).isEqualTo(500);
    }

    @Test
    void excludedPathsAreFree() throws Exception {
        assertThat(field(get("/wide/excluded", "X-Test", "excluded"), "RateLimit"))
                .isEmpty();
    }

    @Test
    void preflightsAreFree() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(preflight("/wide/shared", "preflight").statusCode()).isEqualTo(200);
        }
        assertThat(remaining("early", "header:x-test=9:preflight")).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization: Basic YWxpY2U6eA==", "Cookie: SESSION=x"})
    void whatLooksLikeAPreflightButHasCredentialsIsCounted(String credentials) throws Exception {
        String[] field = credentials.split(": ");
        String key = "guessing-" + field[0];
        for (int i = 0; i < 3; i++) {
            assertThat(preflight("/wide/shared", key, field).statusCode()).isNotEqualTo(429);
        }
        assertThat(preflight("/wide/shared", key, field).statusCode()).isEqualTo(429);
    }

    @Test
    void whatLooksLikeAPreflightButHasABodyIsCounted() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(preflightWithBody("/wide/shared").statusCode()).isNotEqualTo(429);
        }
        assertThat(preflightWithBody("/wide/shared").statusCode()).isEqualTo(429);
    }

    @Test
    void whatLooksLikeAPreflightIsCountedWhereCorsIsNotConfigured() throws Exception {
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
    @ValueSource(strings = {"/pool/plain", "/pool/callable", "/pool/failing", "/pool/unknown", "/pool/secret"})
    void permitsAreHeldUntilTheRequestIsDone(String path) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get(path).statusCode()).isNotEqualTo(503);
            await(() -> remaining("pool", "") == 1);
        }
    }

    /** The filter knows only the path as it was sent; what reaches the endpoint all the same is counted there. */
    @Test
    void whatIsRoutedInAnotherCaseIsCountedAtTheEndpoint() throws Exception {
        for (String path : List.of("/OneCase", "/onecase", "/ONECASE")) {
            assertThat(get(path, "X-Test", "case").statusCode()).isEqualTo(200);
        }
        assertThat(get("/oneCase", "X-Test", "case").statusCode()).isEqualTo(429);
    }

    /** Wrong passwords, which Spring Security itself rejects. */
    @Test
    void onlyFailuresAreChargedWhereTheRuleSaysSo() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(get("/guarded/x", "Authorization", ALICE).statusCode()).isEqualTo(200);
        }
        assertThat(get("/guarded/x", "Authorization", basic("alice:b")).statusCode())
                .isEqualTo(401);
        assertThat(get("/guarded/x", "Authorization", ALICE).statusCode()).isEqualTo(200);
        assertThat(get("/guarded/x", "Authorization", basic("alice:c")).statusCode())
                .isEqualTo(401);
        assertThat(get("/guarded/x", "Authorization", basic("alice:d")).statusCode())
                .isEqualTo(429);
        assertThat(get("/guarded/x", "Authorization", ALICE).statusCode()).isEqualTo(429);
    }

    @Test
    void deniedAddressesComeNoFurther() throws Exception {
        assertThat(get("/rejecting/x").statusCode()).isEqualTo(403);
    }

    @Test
    void rejectionsAreBanned() throws Exception {
        assertThat(get("/banning/x").statusCode()).isEqualTo(200);
        for (int i = 0; i < 4; i++) {
            assertThat(get("/banning/x").statusCode()).isEqualTo(429);
        }
        assertThat(get("/banning/x").body()).contains("#abnormal-usage-detected");
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.US_ASCII));
    }

    private long remaining(String name, String key) {
        Rule rule = rules.current().find(name).orElseThrow().rule();
        return limiters.peek(rule, key).remaining();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Controller.class)
    static class Application implements WebMvcConfigurer {

        @Override
        public void configurePathMatch(PathMatchConfigurer configurer) {
            PathPatternParser parser = new PathPatternParser();
            parser.setCaseSensitive(false);
            configurer.setPatternParser(parser);
        }

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

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.csrf(AbstractHttpConfigurer::disable)
                    .formLogin(Customizer.withDefaults())
                    .httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(
                            requests -> requests.requestMatchers("/secret/**", "/pool/secret", "/guarded/**")
                                    .authenticated()
                                    .anyRequest()
                                    .permitAll())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("alice").password("{noop}a").build(),
                    User.withUsername("bob").password("{noop}b").build(),
                    User.withUsername("carol").password("{noop}c").build());
        }
    }

    @RestController
    static class Controller {

        @GetMapping("/both/{id}")
        String both(Principal principal) {
            return principal.getName();
        }

        @GetMapping({
            "/gets",
            "/free",
            "/watched",
            "/broken",
            "/OneCase",
            "/each/{id}",
            "/each/{id}/part",
            "/guarded/x",
            "/rejecting/x",
            "/banning/x"
        })
        String gets() {
            return "ok";
        }

        @GetMapping({"/wide/plain", "/wide/rejected", "/wide/excluded"})
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

        @GetMapping("/pool/callable")
        Callable<String> callable() {
            return () -> "ok";
        }

        @GetMapping("/pool/failing")
        String failing() {
            throw new IllegalStateException("on purpose");
        }
    }
}
