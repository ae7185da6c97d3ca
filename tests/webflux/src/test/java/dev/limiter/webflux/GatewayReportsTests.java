package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
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
import reactor.core.publisher.Mono;

/** What users of Spring Cloud Gateway have asked of its rate limiter, each by the number of the report. */
@Timeout(60)
class GatewayReportsTests {

    private static final String ON = "--spring.cloud.gateway.server.webflux.enabled=true";
    private static final Applications applications = new Applications();
    private static final AtomicInteger received = new AtomicInteger();
    private static int backend;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Backend {

        @Bean
        RouterFunction<ServerResponse> all() {
            return RouterFunctions.route()
                    .GET("/**", request -> {
                        received.incrementAndGet();
                        return ServerResponse.ok().bodyValue(request.path());
                    })
                    .build();
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return GatewayTests.Gateway.open(http);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Gateway {

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return GatewayTests.Gateway.open(http);
        }
    }

    /** Excess traffic of {@code /busy} goes to another route. */
    @Configuration(proxyBeanMethods = false)
    @Import(Gateway.class)
    static class Splitting {

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
    static void startBackend() {
        backend = Applications.clients(applications.start(Backend.class, "limiter.enabled: false"))
                .port();
    }

    @AfterAll
    static void stop() {
        applications.close();
    }

    private static Clients gateway(Class<?> application, String routes, String rules) {
        return Applications.clients(applications.start(
                application,
                "spring.cloud.gateway.server.webflux.routes:" + routes.replace("backend", "http://127.0.0.1:" + backend)
                        + "\nlimiter.rules:\n" + rules,
                ON));
    }

    private static final String ROUTE = " [{id: all, uri: 'backend', predicates: ['Path=/**']}]";

    @Test
    void report3707RejectionHasRetryAfter() {
        Clients clients = gateway(Gateway.class, ROUTE, "  all: {paths: ['/**'], key: ip, limit: 1, window: 1h}");
        assertThat(clients.get("/a").statusCode()).isEqualTo(200);
        HttpResponse<String> rejected = clients.get("/a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(Long.parseLong(rejected.headers().firstValue("Retry-After").orElseThrow()))
                .isBetween(1L, 3_600L);
    }

    @Test
    void report1810And780RejectionHasAStatusAndBodyOfTheApplication() {
        Clients clients = gateway(OwnBody.class, ROUTE, "  all: {paths: ['/**'], key: ip, limit: 1, window: 1h}");
        assertThat(clients.get("/a").body()).isEqualTo("/a");
        HttpResponse<String> rejected = clients.get("/a");
        assertThat(rejected.statusCode()).isEqualTo(200);
        assertThat(rejected.body()).isEqualTo("{\"code\":1008}");
    }

    /** The gateway's own filter fails on the second attempt, because its first response is committed. */
    @Test
    void report4175RetryOnClientErrorsDoesNotRepeatARejection() {
        Clients clients = gateway(Gateway.class, """

                  - id: all
                    uri: backend
                    predicates: [Path=/**]
                    filters: [{name: Retry, args: {retries: 3, series: CLIENT_ERROR}}, "Limiter=api"]""", "  api: {key: ip, limit: 1, window: 1h}");
        int before = received.get();
        assertThat(clients.get("/a").statusCode()).isEqualTo(200);
        HttpResponse<String> rejected = clients.get("/a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("quota-exceeded");
        assertThat(received.get() - before).isEqualTo(1);
    }

    @Test
    void report2845LimitsPerMinuteAndHour() {
        Clients clients = gateway(
                Gateway.class,
                ROUTE,
                "  all: {paths: ['/**'], key: ip, limits: {minute: {limit: 5, window: 1m}, hour: {limit: 2, window: 1h}}}");
        assertThat(Stream.generate(() -> clients.get("/a").statusCode()).limit(3))
                .containsExactly(200, 200, 429);
        assertThat(clients.get("/a").headers().firstValue("RateLimit-Policy").orElseThrow())
                .contains("w=60", "w=3600");
    }

    @Test
    void report3413EachRouteHasItsOwnLimit() {
        Clients clients = gateway(
                Gateway.class, """

                  - {id: a, uri: backend, predicates: [Path=/a], filters: ["Limiter=one"]}
                  - {id: b, uri: backend, predicates: [Path=/b], filters: ["Limiter=two"]}""", "  one: {key: ip, limit: 1, window: 1h}\n  two: {key: ip, limit: 2, window: 1h}");
        assertThat(Stream.of("/a", "/a", "/b", "/b", "/b")
                        .map(path -> clients.get(path).statusCode()))
                .containsExactly(200, 429, 200, 200, 429);
    }

    @Test
    void report2589RequestsWaitInsteadOfBeingRejected() {
        Clients clients = gateway(
                Gateway.class,
                ROUTE,
                "  all: {paths: ['/**'], key: ip, algorithm: leaky-bucket, limit: 20, window: 1s, max-wait: 30s}");
        List<CompletableFuture<Integer>> responses = Stream.generate(() ->
                        CompletableFuture.supplyAsync(() -> clients.get("/a").statusCode()))
                .limit(10)
                .toList();
        assertThat(responses).allSatisfy(response -> assertThat(response.join()).isEqualTo(200));
    }

    @Test
    void report2406ExcessTrafficGoesToAnotherRoute() {
        Clients clients = gateway(
                Splitting.class,
                " []",
                "  busy: {paths: [/busy], key: ip, limit: 2, window: 1h, phase: request, mode: shadow}");
        assertThat(Stream.generate(() -> clients.get("/busy").body()).limit(4))
                .containsExactly("/busy", "/busy", "/spare", "/spare");
    }
}
