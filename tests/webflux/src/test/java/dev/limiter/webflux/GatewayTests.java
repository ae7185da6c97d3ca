package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** Limits in Spring Cloud Gateway, in front of a backend that counts its requests. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class GatewayTests {

    private static final String ON = "--spring.cloud.gateway.server.webflux.enabled=true";
    private static final Applications applications = new Applications();
    private static final AtomicInteger received = new AtomicInteger();
    private static int backend;

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

    @BeforeAll
    static void startBackend() {
        backend = Applications.clients(applications.start(Backend.class, "limiter.enabled: false"))
                .port();
    }

    @AfterAll
    static void stop() {
        applications.close();
    }

    private static Clients gateway(String rules, String filters) {
        return Applications.clients(
                applications.start(Gateway.class, """
                spring.cloud.gateway.server.webflux.routes:
                  - id: orders
                    uri: http://127.0.0.1:%d
                    predicates: [Path=/orders/**]
                    filters: [%s]
                  - id: flaky
                    uri: http://127.0.0.1:%d
                    predicates: [Path=/flaky/**]
                    filters: ["Retry=2", "Limiter=api"]
                limiter.rules:
                  api: {key: "header:X-Api-Key", limit: 2, window: 1h}
                  %s
                """.formatted(backend, filters, backend, rules), ON));
    }

    @Test
    void ruleWithPathsLimitsARouteAndSparesTheBackend() {
        Clients clients = gateway("orders: {paths: ['/orders/**'], key: 'header:X-Api-Key', limit: 2, window: 1h}", "");
        int before = received.get();
        for (int left = 1; left >= 0; left--) {
            HttpResponse<String> permitted = clients.sendBody("POST", "/orders/1", "tea", "X-Api-Key", "a");
            assertThat(permitted.statusCode()).isEqualTo(200);
            assertThat(permitted.body()).isEqualTo("tea");
            assertThat(permitted.headers().firstValue("RateLimit").orElseThrow())
                    .startsWith("\"orders\";r=" + left);
        }
        HttpResponse<String> rejected = clients.sendBody("POST", "/orders/1", "tea", "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("quota-exceeded", "/orders/1");
        assertThat(rejected.headers().firstValue("Retry-After")).isPresent();
        assertThat(received.get() - before).isEqualTo(2);
        assertThat(clients.get("/orders/1", "X-Api-Key", "b").statusCode()).isEqualTo(200);
    }

    @Test
    void filterOfARouteLimitsItByTheNameOfARule() {
        Clients clients = gateway("", "Limiter=api");
        assertThat(clients.get("/orders/1", "X-Api-Key", "a").body()).isEqualTo("backend /orders/1");
        assertThat(clients.get("/orders/2", "X-Api-Key", "a").statusCode()).isEqualTo(200);
        HttpResponse<String> rejected = clients.get("/orders/3", "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"api\";r=0");
        assertThat(clients.get("/orders/3", "X-Api-Key", "b").statusCode()).isEqualTo(200);
    }

    @Test
    void retryOfTheGatewayIsChargedOnce() {
        Clients clients = gateway("", "Limiter=api");
        int before = received.get();
        assertThat(clients.get("/flaky/1", "X-Api-Key", "retry").statusCode()).isEqualTo(502);
        assertThat(received.get() - before).isEqualTo(3);
        assertThat(clients.get("/flaky/1", "X-Api-Key", "retry").statusCode()).isEqualTo(502);
        assertThat(clients.get("/flaky/1", "X-Api-Key", "retry").statusCode()).isEqualTo(429);
    }

    @Test
    void ruleLimitsTheRoutesThatItNames() {
        Clients clients = gateway("routed: {routes: [orders], key: 'header:X-Api-Key', limit: 1, window: 1h}", "");
        assertThat(clients.get("/orders/1", "X-Api-Key", "a").statusCode()).isEqualTo(200);
        HttpResponse<String> rejected = clients.get("/orders/2", "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"routed\";r=0");
        assertThat(clients.get("/flaky/1", "X-Api-Key", "a").statusCode()).isEqualTo(502);
    }

    @Test
    void unknownRouteOfARuleIsReported(CapturedOutput output) {
        gateway("misspelled: {routes: [orders, flakey], key: ip, limit: 1, window: 1h}", "");
        assertThat(output)
                .contains("limiter.rules.misspelled.routes = flakey: the gateway has no route with this id")
                .contains("Did you mean flaky?", "LIM-901")
                .doesNotContain("routes = orders");
    }

    @Test
    void filterOfARouteKnowsTheUser() {
        Clients clients = gateway("user: {key: principal, limit: 1, window: 1h}", "Limiter=user");
        assertThat(clients.get("/orders/1", "X-User", "ann").statusCode()).isEqualTo(200);
        assertThat(clients.get("/orders/1", "X-User", "ann").statusCode()).isEqualTo(429);
        assertThat(clients.get("/orders/1", "X-User", "bob").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/shop"})
    void routeIsExplainedAsItIsLimited(String basePath) {
        Clients clients = Applications.clients(
                applications.start(Gateway.class, """
                spring.webflux.base-path: "BASE"
                spring.cloud.gateway.server.webflux.routes:
                  - {id: orders, uri: "http://127.0.0.1:%d", predicates: ["Path=/orders/**"]}
                limiter.rules:
                  orders: {paths: ["/orders/**"], key: "header:X-Api-Key", limit: 1, window: 1h}
                  routed: {routes: [orders], key: "header:X-Api-Key", limit: 5, window: 1h}
                  other: {routes: [other], key: "header:X-Api-Key", limit: 5, window: 1h}
                management.endpoints.web.exposure.include: limiter
                """.formatted(backend).replace("BASE", basePath), ON));
        String explain = basePath + "/actuator/limiter/explain?path=" + basePath + "/orders/1&header.X-Api-Key=a";
        String before = clients.get(explain).body();
        assertThat(JsonPath.<String>read(before, "$.result")).isEqualTo("permitted");
        assertThat(JsonPath.<String>read(before, "$.resource")).isEqualTo("* /orders/**");
        assertThat(JsonPath.<List<String>>read(before, "$.rules[?(@.rule == 'other')].because"))
                .containsExactly("routes: none matches");
        assertThat(JsonPath.<List<String>>read(before, "$.rules[?(@.rule == 'routed')].because"))
                .containsExactly("routes: orders");
        assertThat(clients.get(basePath + "/orders/1", "X-Api-Key", "a").statusCode())
                .isEqualTo(200);
        String after = clients.get(explain).body();
        assertThat(JsonPath.<String>read(after, "$.result")).isEqualTo("rejected");
        assertThat(JsonPath.<List<String>>read(after, "$.rules[?(@.result)].rule"))
                .containsExactly("orders", "routed");
        assertThat(clients.get(basePath + "/orders/1", "X-Api-Key", "a").statusCode())
                .isEqualTo(429);
    }

    @Test
    void filterOfARoutePermitsEverythingWithoutLimiter() {
        Clients clients = Applications.clients(applications.start(Gateway.class, """
                limiter.enabled: false
                spring.cloud.gateway.server.webflux.routes:
                  - {id: off, uri: "http://127.0.0.1:%d", predicates: [Path=/off/**], filters: [Limiter=api]}
                """.formatted(backend), ON));
        assertThat(clients.get("/off/1").body()).isEqualTo("backend /off/1");
    }
}
