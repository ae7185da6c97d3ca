package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.spring.webflux.ServerRejectionHandler;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/**
 * Limits in Spring Cloud Gateway, in front of a backend that counts its requests. Numbers are those of reports about the
 * gateway's own rate limiter.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class GatewayTests {

    private static final String ON = "--spring.cloud.gateway.server.webflux.enabled=true";

    private static final String RULES = """
            spring.cloud.gateway.server.webflux.routes:
              - {id: path, uri: BACKEND, predicates: [Path=/path/**]}
              - {id: named, uri: BACKEND, predicates: [Path=/named/**]}
              - {id: both, uri: BACKEND, predicates: [Path=/both/**]}
              - {id: paced, uri: BACKEND, predicates: [Path=/paced/**]}
              - {id: filtered, uri: BACKEND, predicates: [Path=/filtered/**], filters: [Limiter=filtered]}
              - {id: user, uri: BACKEND, predicates: [Path=/user/**], filters: [Limiter=user]}
              - {id: flaky, uri: BACKEND, predicates: [Path=/flaky/**], filters: [Retry=2, Limiter=flaky]}
              - id: again
                uri: BACKEND
                predicates: [Path=/again/**]
                filters: [{name: Retry, args: {retries: 3, series: CLIENT_ERROR}}, Limiter=again]
            limiter.rules:
              path: {paths: ["/path/**"], key: "header:X-Api-Key", limit: 2, window: 1h}
              routed: {routes: [path], key: "header:X-Api-Key", limit: 5, window: 1h}
              named: {routes: [named], key: "header:X-Api-Key", limit: 1, window: 1h}
              misspelled: {routes: [named, flakey], key: ip, limit: 100, window: 1h}
              filtered: {key: "header:X-Api-Key", limit: 2, window: 1h}
              flaky: {key: "header:X-Api-Key", limit: 2, window: 1h}
              again: {key: "header:X-Api-Key", limit: 2, window: 1h}
              user: {key: principal, limit: 1, window: 1h}
              paced: {paths: ["/paced/**"], key: ip, algorithm: leaky-bucket, limit: 20, window: 1s, max-wait: 30s}
              both: {paths: ["/both/**"], key: ip, limits: {minute: {limit: 5, window: 1m}, hour: {limit: 2, window: 1h}}}
              busy: {paths: [/busy], key: ip, limit: 2, window: 1h, phase: request, mode: shadow}
            management.endpoints.web.exposure.include: limiter
            """;

    private static final Applications applications = new Applications();
    private static final AtomicInteger received = new AtomicInteger();
    private static int backend;
    private static Clients clients;

    /** Fails every request of one path, and echoes the body of all others. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Backend {

        @Bean
        RouterFunction<ServerResponse> all() {
            return RouterFunctions.route()
                    .path(
                            "/",
                            routes -> routes.POST("/**", request -> {
                                        received.incrementAndGet();
                                        return ServerResponse.ok().body(request.bodyToMono(String.class), String.class);
                                    })
                                    .GET("/flaky/**", request -> {
                                        received.incrementAndGet();
                                        return ServerResponse.status(HttpStatus.BAD_GATEWAY)
                                                .build();
                                    })
                                    .GET("/**", request -> {
                                        received.incrementAndGet();
                                        return ServerResponse.ok().bodyValue("backend " + request.path());
                                    }))
                    .build();
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return Gateway.open(http);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Gateway {

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return open(http);
        }

        /** The user that a header names. */
        @Bean
        WebFilter user() {
            return (exchange, chain) -> {
                String name = exchange.getRequest().getHeaders().getFirst("X-User");
                return chain.filter(
                        name == null
                                ? exchange
                                : exchange.mutate()
                                        .principal(Mono.just(() -> name))
                                        .build());
            };
        }

        static SecurityWebFilterChain open(ServerHttpSecurity http) {
            return http.authorizeExchange(paths -> paths.anyExchange().permitAll())
                    .csrf(ServerHttpSecurity.CsrfSpec::disable)
                    .build();
        }
    }

    /** Excess traffic of {@code /busy} goes to another route. */
    @Configuration(proxyBeanMethods = false)
    @Import(Gateway.class)
    static class WithRoutesInCode {

        @Bean
        RouteLocator routes(RouteLocatorBuilder routes) {
            String uri = "http://127.0.0.1:" + backend;
            return routes.routes()
                    .route(
                            "excess",
                            route -> route.order(-1)
                                    .path("/busy")
                                    .and()
                                    .predicate(exchange -> exchange.getAttribute("dev.limiter.exceeded") != null)
                                    .filters(filters -> filters.setPath("/spare"))
                                    .uri(uri))
                    .route("normal", route -> route.path("/busy").uri(uri))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Gateway.class)
    static class OwnBody {

        @Bean
        ServerRejectionHandler rejections() {
            return (exchange, rejection) -> {
                exchange.getResponse().setStatusCode(HttpStatus.OK);
                byte[] body = "{\"code\":1008}".getBytes(StandardCharsets.UTF_8);
                return exchange.getResponse()
                        .writeWith(
                                Mono.just(exchange.getResponse().bufferFactory().wrap(body)));
            };
        }
    }

    @BeforeAll
    static void start() {
        backend = Applications.clients(applications.start(Backend.class, "limiter.enabled: false"))
                .port();
        clients = gateway("");
    }

    @AfterAll
    static void stop() {
        applications.close();
    }

    private static Clients gateway(String basePath) {
        return Applications.clients(applications.start(
                WithRoutesInCode.class,
                RULES.replace("BACKEND", "http://127.0.0.1:" + backend),
                ON,
                "--spring.webflux.base-path=" + basePath));
    }

    private static List<Integer> statuses(int requests, String path, String... headers) {
        return Stream.generate(() -> clients.get(path, headers).statusCode())
                .limit(requests)
                .toList();
    }

    @Test
    void report3707RejectionsHaveRetryAfterAndSpareTheBackend() {
        int before = received.get();
        for (int left = 1; left >= 0; left--) {
            HttpResponse<String> permitted = clients.sendBody("POST", "/path/1", "tea", "X-Api-Key", "a");
            assertThat(permitted.statusCode()).isEqualTo(200);
            assertThat(permitted.body()).isEqualTo("tea");
            assertThat(permitted.headers().firstValue("RateLimit").orElseThrow())
                    .startsWith("\"path\";r=" + left);
        }
        HttpResponse<String> rejected = clients.sendBody("POST", "/path/1", "tea", "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("quota-exceeded", "/path/1");
        assertThat(Long.parseLong(rejected.headers().firstValue("Retry-After").orElseThrow()))
                .isBetween(1L, 3_600L);
        assertThat(received.get() - before).isEqualTo(2);
        assertThat(statuses(1, "/path/1", "X-Api-Key", "b")).containsExactly(200);
    }

    @Test
    void filterOfARouteLimitsItByTheNameOfARule() {
        assertThat(clients.get("/filtered/1", "X-Api-Key", "a").body()).isEqualTo("backend /filtered/1");
        assertThat(statuses(1, "/filtered/2", "X-Api-Key", "a")).containsExactly(200);
        HttpResponse<String> rejected = clients.get("/filtered/3", "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"filtered\";r=0");
        assertThat(statuses(1, "/filtered/3", "X-Api-Key", "b")).containsExactly(200);
    }

    @Test
    void retryOfTheGatewayIsChargedOnce() {
        int before = received.get();
        assertThat(statuses(1, "/flaky/1", "X-Api-Key", "a")).containsExactly(502);
        assertThat(received.get() - before).isEqualTo(3);
        assertThat(statuses(2, "/flaky/1", "X-Api-Key", "a")).containsExactly(502, 429);
    }

    /** The gateway's own filter fails on the second attempt, because its first response is committed. */
    @Test
    void report4175RetryOfClientErrorsDoesNotRepeatARejection() {
        assertThat(statuses(2, "/again/1", "X-Api-Key", "a")).containsExactly(200, 200);
        int before = received.get();
        HttpResponse<String> rejected = clients.get("/again/1", "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("quota-exceeded");
        assertThat(received.get()).isEqualTo(before);
    }

    @Test
    void ruleLimitsTheRoutesThatItNames(CapturedOutput output) {
        assertThat(statuses(1, "/named/1", "X-Api-Key", "a")).containsExactly(200);
        HttpResponse<String> rejected = clients.get("/named/2", "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"named\";r=0");
        assertThat(statuses(1, "/flaky/1", "X-Api-Key", "other")).containsExactly(502);
        assertThat(output)
                .contains("limiter.rules.misspelled.routes = flakey: the gateway has no route with this id")
                .contains("Did you mean flaky?", "LIM-901")
                .doesNotContain("routes = named");
    }

    @Test
    void report3413EachRouteHasItsOwnLimit() {
        assertThat(statuses(2, "/named/1", "X-Api-Key", "own")).containsExactly(200, 429);
        assertThat(statuses(3, "/filtered/1", "X-Api-Key", "own")).containsExactly(200, 200, 429);
    }

    @Test
    void report2845LimitsPerMinuteAndHour() {
        assertThat(statuses(3, "/both/1")).containsExactly(200, 200, 429);
        assertThat(clients.get("/both/1")
                        .headers()
                        .firstValue("RateLimit-Policy")
                        .orElseThrow())
                .contains("w=60", "w=3600");
    }

    @Test
    void report1810And780RejectionHasAStatusAndBodyOfTheApplication() {
        Clients own = Applications.clients(applications.start(OwnBody.class, """
                spring.cloud.gateway.server.webflux.routes: [{id: all, uri: "http://127.0.0.1:%d", predicates: [Path=/a]}]
                limiter.rules.all: {paths: [/a], key: ip, limit: 1, window: 1h}
                """.formatted(backend), ON));
        assertThat(own.get("/a").body()).isEqualTo("backend /a");
        HttpResponse<String> rejected = own.get("/a");
        assertThat(rejected.statusCode()).isEqualTo(200);
        assertThat(rejected.body()).isEqualTo("{\"code\":1008}");
    }

    @Test
    void filterOfARouteKnowsTheUser() {
        assertThat(statuses(2, "/user/1", "X-User", "ann")).containsExactly(200, 429);
        assertThat(statuses(1, "/user/1", "X-User", "bob")).containsExactly(200);
    }

    @Test
    void report2589RequestsWaitForTheirTurn() {
        List<CompletableFuture<Integer>> responses = Stream.generate(() -> CompletableFuture.supplyAsync(
                        () -> clients.get("/paced/1").statusCode()))
                .limit(10)
                .toList();
        assertThat(responses).allSatisfy(response -> assertThat(response.join()).isEqualTo(200));
    }

    @Test
    void report2406ExcessTrafficGoesToAnotherRoute() {
        assertThat(Stream.generate(() -> clients.get("/busy").body()).limit(4))
                .containsExactly("backend /busy", "backend /busy", "backend /spare", "backend /spare");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/shop"})
    void routeIsExplainedAsItIsLimited(String basePath) {
        Clients explained = basePath.isEmpty() ? clients : gateway(basePath);
        String explain = basePath + "/actuator/limiter/explain?path=" + basePath + "/path/1&header.X-Api-Key=explained";
        for (int i = 0; i < 2; i++) {
            String before = explained.get(explain).body();
            assertThat(JsonPath.<String>read(before, "$.result")).isEqualTo("permitted");
            assertThat(JsonPath.<String>read(before, "$.resource")).isEqualTo("* /path/**");
            assertThat(JsonPath.<List<String>>read(before, "$.rules[?(@.rule == 'named')].because"))
                    .containsExactly("routes: none matches");
            assertThat(JsonPath.<List<String>>read(before, "$.rules[?(@.rule == 'routed')].because"))
                    .containsExactly("routes: path");
            assertThat(explained
                            .get(basePath + "/path/1", "X-Api-Key", "explained")
                            .statusCode())
                    .isEqualTo(200);
        }
        String after = explained.get(explain).body();
        assertThat(JsonPath.<String>read(after, "$.result")).isEqualTo("rejected");
        assertThat(JsonPath.<List<String>>read(after, "$.rules[?(@.result)].rule"))
                .containsExactly("path", "routed");
        assertThat(explained.get(basePath + "/path/1", "X-Api-Key", "explained").statusCode())
                .isEqualTo(429);
    }

    @Test
    void filterOfARoutePermitsEverythingWithoutLimiter() {
        Clients off = Applications.clients(applications.start(Gateway.class, """
                limiter.enabled: false
                spring.cloud.gateway.server.webflux.routes:
                  - {id: off, uri: "http://127.0.0.1:%d", predicates: [Path=/off/**], filters: [Limiter=api]}
                """.formatted(backend), ON));
        assertThat(off.get("/off/1").body()).isEqualTo("backend /off/1");
    }
}
