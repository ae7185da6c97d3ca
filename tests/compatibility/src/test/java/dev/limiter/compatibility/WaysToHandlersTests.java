package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** Every way a request can come to a handler, and what it is charged for there. */
@Tag("each-line")
class WaysToHandlersTests {

    private static ConfigurableApplicationContext application;
    private static Clients clients;
    private static Charges charges;

    @BeforeAll
    static void start() {
        application = Applications.start(
                Application.class,
                "limiter.rules.endpoint.paths=/**",
                "limiter.rules.endpoint.limit=1000000",
                "limiter.rules.endpoint.window=1h",
                "limiter.rules.early.paths=/**",
                "limiter.rules.early.phase=request",
                "limiter.rules.early.limit=1000000",
                "limiter.rules.early.window=1h",
                "limiter.rules.pool.paths=/**",
                "limiter.rules.pool.algorithm=concurrency",
                "limiter.rules.pool.limit=50",
                "limiter.rules.fragment.paths=/plain",
                "limiter.rules.fragment.key=header:X-Fragment",
                "limiter.rules.fragment.condition=#request.getHeader('X-Fragment') != null",
                "limiter.rules.fragment.limit=1",
                "limiter.rules.fragment.window=1h",
                "limiter.rules.page.paths=/inner/include/**",
                "limiter.rules.page.phase=request",
                "limiter.rules.page.key=header:X-Fragment",
                "limiter.rules.page.condition=#request.getHeader('X-Fragment') != null",
                "limiter.rules.page.limit=2",
                "limiter.rules.page.window=1h",
                "management.endpoint.health.show-components=always");

        clients = Applications.clientsOf(application);
        charges = application.getBean(Charges.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void forgetEarlierTests() {
        charges.clear();
    }

    /**
     * {@code endpoint}: the resource that the request is charged for at its endpoint, {@code -} if none; {@code early}: how
     * often it is charged before it is routed.
     */
    @ParameterizedTest
    @CsvSource({
        // mappings
        "GET,     /plain,                 200, GET /plain,          1",
        "HEAD,    /plain,                 200, GET /plain,          1",
        "GET,     /routed/1,              200, GET /routed/{id},    1",
        "GET,     /controlled,            204, * /controlled,       1",
        "GET,     /bean-name,             200, * /bean-name,        1",
        "GET,     /own/x,                 200, * /own/**,           1",
        "GET,     /sockjs/info,           200, * /sockjs/**,        1",
        "GET,     /file.txt,              200, * /**,               1",
        "GET,     /unknown,               404, * /**,               1",
        // dispatches by the handler
        "GET,     /callable,              200, GET /callable,       1",
        "GET,     /deferred,              200, GET /deferred,       1",
        "GET,     /events,                200, GET /events,         1",
        "GET,     /deferred-error,        500, GET /deferred-error, 1",
        "GET,     /forward,               200, GET /forward,        1",
        "GET,     /include,               200, GET /include,        1",
        "GET,     /async/complete,        200, GET /async/complete, 1",
        "GET,     /async/dispatch,        200, GET /async/dispatch, 1",
        "GET,     /send-error,            500, GET /send-error,     1",
        "GET,     /exception,             500, GET /exception,      1",
        // dispatches by filters, before and after that of the limiter
        "GET,     /outer/forward/plain,   200, GET /plain,          1",
        "GET,     /inner/forward/plain,   200, GET /plain,          1",
        "GET,     /inner/include/plain,   200, GET /plain,          1",
        "GET,     /inner/async/plain,     200, GET /plain,          1",
        "GET,     /inner/error,           418, -,                   1",
        // no handler of the application
        "POST,    /plain,                 405, -,                   1",
        "GET,     /actuator/health/ping,  200, -,                   0",
        "GET,     /servlet,               200, -,                   1",
        // another servlet
        "GET,     /second/hello,          200, GET /hello,          1",
        "GET,     /second/own,            200, * /own,              1",
    })
    void isChargedOnce(String method, String path, int status, String endpoint, int early) {
        assertThat(clients.send(method, path).statusCode()).isEqualTo(status);

        assertCharged(endpoint, early);
    }

    @Test
    void webSocketHandshakeIsChargedOnce() throws Exception {
        WebSocket socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create("ws://localhost:" + clients.port() + "/socket"), new WebSocket.Listener() {})
                .get(60, TimeUnit.SECONDS);
        socket.abort();

        assertCharged("* /socket", 1);
    }

    /** A container lets an included resource erase the buffer of the page, but neither status nor fields be set. */
    @Test
    void rejectedFragmentLeavesThePageThatIncludesIt() {
        String permitted =
                clients.get("/inner/include/plain", "X-Fragment", "one").body();
        assertThat(permitted).startsWith("before ").endsWith(" after").hasSizeGreaterThan("before  after".length());

        HttpResponse<String> rejected = clients.get("/inner/include/plain", "X-Fragment", "one");
        assertThat(rejected.statusCode()).isEqualTo(200);
        assertThat(rejected.body()).isEqualTo("before  after");
        assertPermitsAreReturned();

        HttpResponse<String> rejectedPage = clients.get("/inner/include/plain", "X-Fragment", "one");
        assertThat(rejectedPage.statusCode()).isEqualTo(429);
    }

    @Test
    void annotationsBelowASecondServletAreApplied() {
        assertThat(clients.get("/second/annotated").statusCode()).isEqualTo(200);
        assertThat(clients.get("/second/annotated").statusCode()).isEqualTo(429);
    }

    @Test
    void preflightIsFree() {
        clients.send("OPTIONS", "/plain", "Origin", "http://example.com", "Access-Control-Request-Method", "GET");

        assertCharged("-", 0);
    }

    @Test
    void whatLooksLikeAPreflightIsCharged() {
        clients.send(
                "OPTIONS",
                "/plain",
                "Origin",
                "http://example.com",
                "Access-Control-Request-Method",
                "GET",
                "Authorization",
                "Basic YWxpY2U6eA==");

        assertThat(charges.of("early")).hasSize(1);
    }

    private static void assertCharged(String endpoint, int early) {
        assertThat(charges.of("endpoint")).isEqualTo(endpoint.equals("-") ? List.of() : List.of(endpoint));
        assertThat(charges.of("early")).hasSize(early);
        assertThat(charges.of("pool")).isEqualTo(charges.of("endpoint"));
        assertPermitsAreReturned();
    }

    /** The container ends a request after its answer was read. */
    private static void assertPermitsAreReturned() {
        RateLimiters limiters = application.getBean(RateLimiters.class);
        Conditions.await(() -> limiters.peek(charges.pool(), "").remaining() == 50);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, DispatchedEndpoints.class, WaysToHandlers.class})
    static class Application {

        @Bean
        RouterFunction<ServerResponse> routes() {
            return RouterFunctions.route()
                    .GET("/routed/{id}", request -> ServerResponse.ok().body("routed"))
                    .build();
        }

        @Bean
        RateLimitListener charging(Charges charges) {
            return event -> {
                if (event.outcome() == Outcome.PERMITTED) {
                    charges.add(event.rule(), event.resource());
                }
            };
        }

        @Bean
        Charges charges(ObjectProvider<Rules> rules) {
            return new Charges(rules);
        }
    }

    /** The permits that were charged, by rule. */
    static final class Charges {

        private record Charge(String rule, String resource) {}

        private final List<Charge> charges = new CopyOnWriteArrayList<>();
        private final ObjectProvider<Rules> rules;

        Charges(ObjectProvider<Rules> rules) {
            this.rules = rules;
        }

        void add(String rule, String resource) {
            charges.add(new Charge(rule, resource));
        }

        void clear() {
            charges.clear();
        }

        List<String> of(String rule) {
            return charges.stream()
                    .filter(charge -> charge.rule().equals(rule))
                    .map(Charge::resource)
                    .toList();
        }

        Rule pool() {
            return rules.getObject().current().find("pool").orElseThrow().rule();
        }
    }
}
