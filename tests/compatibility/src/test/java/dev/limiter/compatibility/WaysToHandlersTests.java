package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compile.Rules;
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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Every way in which a request can reach a handler: what it is charged, and the RateLimit fields of the response.
 * {@code ResponseKindTests} of the starter compare more kinds of responses byte by byte, on one line of Spring Boot.
 */
@Tag("each-line")
class WaysToHandlersTests {

    @AutoClose
    private static final ConfigurableApplicationContext application = Applications.start(
            Application.class,
            Applications.limiter(
                    """
                        web: { headers: both }
                        rules:
                          endpoint: { paths: /**, limit: 1000000, window: 1h }
                          early: { paths: /**, phase: request, limit: 1000000, window: 1h }
                          failed:
                            { paths: /**, phase: request, limit: 1000000, window: 30d, algorithm: fixed-window,
                              charge-if: failed }
                          pool: { paths: /**, algorithm: concurrency, limit: 50 }
                          # a server may put its own address before the path
                          moved:
                            { paths: "/sent,/sent-303", key: "header:X-Moved",
                              condition: "#request.getHeader('X-Moved') != null", limit: 1, window: 30d,
                              charge-if: "#response.getHeader('Location').endsWith('/error')" }
                          fragment:
                            { paths: /plain, key: "header:X-Fragment",
                              condition: "#request.getHeader('X-Fragment') != null", limit: 1, window: 1h }
                          page:
                            { paths: /inner/include/**, phase: request, key: "header:X-Fragment",
                              condition: "#request.getHeader('X-Fragment') != null", limit: 2, window: 1h }
                        """,
                    // Tomcat counts a request as active until its timeout if its handler throws after startAsync(),
                    // with or without limits
                    "server.shutdown=immediate",
                    "management.endpoint.health.show-components=always"));

    private static final Clients clients = Applications.clientsOf(application);

    /** Records each charged permit: the rule and the resource. */
    private static final List<String> CHARGED = new CopyOnWriteArrayList<>();

    @BeforeEach
    void forgetEarlierTests() {
        CHARGED.clear();
    }

    /**
     * @param endpoint the resource that the request is charged for at its endpoint; {@code -} if none
     * @param early how often it is charged before routing
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
        // dispatches by handlers
        "GET,     /callable,              200, GET /callable,       1",
        "GET,     /deferred,              200, GET /deferred,       1",
        "GET,     /events,                200, GET /events,         1",
        "GET,     /deferred-error,        500, GET /deferred-error, 1",
        "GET,     /forward,               200, GET /forward,        1",
        "GET,     /include,               200, GET /include,        1",
        "GET,     /async/complete,        200, GET /async/complete, 1",
        "GET,     /async/dispatch,        200, GET /async/dispatch, 1",
        "GET,     /async/throw,           500, GET /async/throw,    1",
        "GET,     /send-error,            500, GET /send-error,     1",
        "GET,     /exception,             500, GET /exception,      1",
        "GET,     /sent,                  302, GET /sent,           1",
        "GET,     /sent-303,              303, GET /sent-303,       1",
        "GET,     /unchanged,             304, GET /unchanged,      1",
        // dispatches by filters, before and after the filter of Limiter
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
        long before = remaining("failed");

        HttpResponse<String> answer = clients.send(method, path, "If-None-Match", "\"1\"");

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertCharged(endpoint, early);
        Conditions.await(() -> before - remaining("failed") == (status < 400 ? 0 : 1));
        // clients without remaining permits still follow redirects at once
        int fields = status / 100 == 3 ? 0 : early;
        for (String field : List.of("RateLimit", "RateLimit-Policy", "X-RateLimit-Limit")) {
            assertThat(answer.headers().allValues(field)).as(field).hasSize(fields);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/sent", "/sent-303"})
    void redirectionCountsByWhereItLeads(String path) {
        for (int i = 0; i < 3; i++) {
            assertThat(clients.get(path, "X-Moved", path).statusCode()).isBetween(300, 399);
        }
        assertThat(clients.get(path + "?to=/error", "X-Moved", path).statusCode())
                .isBetween(300, 399);
        assertThat(clients.get(path, "X-Moved", path).statusCode()).isEqualTo(429);
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

    /** An included resource can reset the buffer of the page, but cannot set its status or header fields. */
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

    @ParameterizedTest
    @ValueSource(strings = {"/public", "/package-private", "/protected", "/inherited", "/contracted"})
    void annotationsAreAppliedWhateverTheVisibility(String path) {
        assertThat(new Operator(clients).statuses(3, path)).containsExactly(200, 200, 429);
    }

    private static void assertCharged(String endpoint, int early) {
        assertThat(charged("endpoint")).isEqualTo(endpoint.equals("-") ? List.of() : List.of(endpoint));
        assertThat(charged("early")).hasSize(early);
        assertThat(charged("pool")).isEqualTo(charged("endpoint"));
        assertPermitsAreReturned();
    }

    /** Returns the resources that a rule was charged for. */
    private static List<String> charged(String rule) {
        String begin = rule + " for ";
        return CHARGED.stream()
                .filter(each -> each.startsWith(begin))
                .map(each -> each.substring(begin.length()))
                .toList();
    }

    private static long remaining(String name) {
        Rule rule = application
                .getBean(Rules.class)
                .current()
                .find(name)
                .orElseThrow()
                .rule();
        return application.getBean(RateLimiters.class).peek(rule, "").remaining();
    }

    /** Waits, because the container completes a request after its response was read. */
    private static void assertPermitsAreReturned() {
        Conditions.await(() -> remaining("pool") == 50);
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
        RateLimitListener charging() {
            return event -> {
                if (event.outcome() == Outcome.PERMITTED) {
                    CHARGED.add(event.rule() + " for " + event.resource());
                }
            };
        }
    }
}
