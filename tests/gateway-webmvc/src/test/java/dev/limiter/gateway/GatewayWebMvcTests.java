package dev.limiter.gateway;

import static dev.limiter.spring.web.LimiterFilterFunctions.limiter;
import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.cloud.gateway.server.mvc.filter.BeforeFilterFunctions.setPath;
import static org.springframework.cloud.gateway.server.mvc.filter.BeforeFilterFunctions.uri;
import static org.springframework.cloud.gateway.server.mvc.handler.GatewayRouterFunctions.route;
import static org.springframework.cloud.gateway.server.mvc.handler.HandlerFunctions.http;
import static org.springframework.web.servlet.function.RequestPredicates.path;

import com.jayway.jsonpath.JsonPath;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.limiter.testkit.Clients;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** Limits in Spring Cloud Gateway server-webmvc, in front of a backend that records its requests. */
@Timeout(120)
class GatewayWebMvcTests {

    private static final String ROUTES = """
            spring.cloud.gateway.server.webmvc.routes:
              - {id: path, uri: BACKEND, predicates: [Path=/path/**]}
              - {id: id, uri: BACKEND, predicates: [Path=/id/**]}
              - {id: other, uri: BACKEND, predicates: [Path=/other/**]}
              - {id: filtered, uri: BACKEND, predicates: [Path=/filtered/**], filters: [StripPrefix=1, Limiter=filtered]}
              - {id: both, uri: BACKEND, predicates: [Path=/both/**], filters: [Limiter=both]}
              - {id: watched, uri: BACKEND, predicates: [Path=/watched/**], filters: [Limiter=watched]}
              - {id: slow, uri: BACKEND, predicates: [Path=/slow/**], filters: [Limiter=slow]}
              - id: before-retry
                uri: BACKEND
                predicates: [Path=/failing/before/**]
                filters:
                  - {name: Limiter, args: {rule: before}}
                  - {name: Retry, args: {retries: 3, series: "SERVER_ERROR,CLIENT_ERROR", methods: GET, backoff: {first-backoff: 1ms}}}
              - id: in-retry
                uri: BACKEND
                predicates: [Path=/failing/in/**]
                filters:
                  - {name: Retry, args: {retries: 3, series: "SERVER_ERROR,CLIENT_ERROR", methods: GET, backoff: {first-backoff: 1ms}}}
                  - Limiter=in
            limiter.rules:
              path: {paths: ["/path/**"], key: "header:X-Api-Key", limit: 2, window: 1h}
              id: {routes: [id], key: "header:X-Api-Key", limit: 1, window: 1h}
              filtered: {key: "header:X-Api-Key", limit: 2, window: 1h}
              both: {paths: ["/both/**"], key: "header:X-Api-Key", limit: 2, window: 1h}
              watched: {key: "header:X-Api-Key", limit: 1, window: 1h, mode: shadow}
              slow: {algorithm: concurrency, key: global, limit: 1, max-wait: 1m}
              before: {key: "header:X-Api-Key", limit: 2, window: 1h}
              in: {key: "header:X-Api-Key", limit: 2, window: 1h}
              coded: {key: "header:X-Api-Key", limit: 1, window: 1h}
              busy: {paths: [/busy], phase: request, mode: shadow, key: "header:X-Api-Key", limit: 1, window: 1h}
            management.endpoints.web.exposure.include: limiter
            """;

    private static final List<String> received = new CopyOnWriteArrayList<>();
    private static final AtomicInteger suspended = new AtomicInteger();
    private static final CountDownLatch slow = new CountDownLatch(1);
    private static final ExecutorService threads = Executors.newCachedThreadPool();
    private static HttpServer backend;
    private static ConfigurableApplicationContext application;
    private static Clients clients;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Gateway {

        /** Counts the requests that wait without a thread. */
        @Bean
        Filter suspending() {
            return (request, response, chain) -> {
                chain.doFilter(request, response);
                if (request.isAsyncStarted()) {
                    suspended.incrementAndGet();
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RoutesInCode {

        @Bean
        RouterFunction<ServerResponse> excess() {
            return route("excess")
                    .route(
                            path("/busy")
                                    .and(request -> request.attribute("dev.limiter.exceeded")
                                            .isPresent()),
                            http())
                    .before(uri(address()))
                    .before(setPath("/spare"))
                    .build()
                    .and(route("normal")
                            .route(path("/busy"), http())
                            .before(uri(address()))
                            .build());
        }

        @Bean
        RouterFunction<ServerResponse> coded() {
            return route("coded")
                    .route(path("/coded/**"), http())
                    .filter(limiter("coded"))
                    .before(uri(address()))
                    .build();
        }
    }

    @BeforeAll
    static void start() throws IOException {
        backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.setExecutor(threads);
        backend.createContext("/", GatewayWebMvcTests::respond);
        backend.start();
        application = start(ROUTES, Gateway.class, RoutesInCode.class);
        clients = new Clients(application.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }

    @AfterAll
    static void stop() {
        application.close();
        backend.stop(0);
        threads.shutdownNow();
    }

    /** Fails below {@code /failing}, waits below {@code /slow}, and otherwise returns the path and the body. */
    private static void respond(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        received.add(path);
        if (path.startsWith("/slow")) {
            try {
                slow.await();
            } catch (InterruptedException over) {
                return;
            }
        }
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        byte[] bytes = (path + " " + body).trim().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("X-Backend", "b");
        exchange.getResponseHeaders().add("RateLimit", "\"backend\";r=7");
        exchange.sendResponseHeaders(path.startsWith("/failing") ? 502 : 200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static String address() {
        return "http://127.0.0.1:" + backend.getAddress().getPort();
    }

    private static ConfigurableApplicationContext start(String yaml, Class<?>... configurations) {
        SpringApplication starting = new SpringApplication(configurations);
        starting.addInitializers(context -> {
            ByteArrayResource text =
                    new ByteArrayResource(yaml.replace("BACKEND", address()).getBytes(StandardCharsets.UTF_8));
            try {
                for (PropertySource<?> source : new YamlPropertySourceLoader().load("test", text)) {
                    context.getEnvironment().getPropertySources().addFirst(source);
                }
            } catch (IOException failure) {
                throw new IllegalStateException(failure);
            }
        });
        return starting.run("--server.port=0", "--spring.main.banner-mode=off");
    }

    private static List<Integer> statuses(int requests, String path, String key) {
        return Stream.generate(() -> clients.get(path, "X-Api-Key", key).statusCode())
                .limit(requests)
                .toList();
    }

    private static String field(HttpResponse<?> response, String name) {
        assertThat(response.headers().allValues(name)).as(name).hasSize(1);
        return response.headers().firstValue(name).orElseThrow();
    }

    private static long received(String prefix) {
        return received.stream().filter(path -> path.startsWith(prefix)).count();
    }

    @ParameterizedTest
    @CsvSource({"/path/1, path, /path/1", "/filtered/1, filtered, /1", "/both/1, both, /both/1"})
    void limitsARouteWithFieldsNextToThoseOfTheBackend(String path, String rule, String proxied) {
        for (int left = 1; left >= 0; left--) {
            HttpResponse<String> permitted = clients.sendBody("POST", path, "tea", "X-Api-Key", "a");
            assertThat(permitted.statusCode()).isEqualTo(200);
            assertThat(permitted.body()).isEqualTo(proxied + " tea");
            assertThat(field(permitted, "X-Backend")).isEqualTo("b");
            assertThat(field(permitted, "RateLimit")).startsWith("\"" + rule + "\";r=" + left);
        }
        HttpResponse<String> rejected = clients.sendBody("POST", path, "tea", "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("quota-exceeded", path);
        assertThat(field(rejected, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(field(rejected, "RateLimit")).startsWith("\"" + rule + "\";r=0");
        assertThat(Long.parseLong(field(rejected, "Retry-After"))).isBetween(1L, 3_600L);
        assertThat(received(proxied)).isEqualTo(2);
        assertThat(statuses(1, path, "b")).containsExactly(200);
    }

    @Test
    void ruleLimitsTheRoutesThatItNames() {
        assertThat(statuses(2, "/id/1", "a")).containsExactly(200, 429);
        assertThat(statuses(2, "/other/1", "a")).containsExactly(200, 200);
        assertThat(received("/id")).isEqualTo(1);
    }

    @Test
    void filterOfARouteInCodeLimitsIt() {
        assertThat(statuses(2, "/coded/1", "a")).containsExactly(200, 429);
        assertThat(received("/coded")).isEqualTo(1);
    }

    /** The last attempt of the gateway's own filter fails with 500. */
    @ParameterizedTest
    @ValueSource(strings = {"/failing/before", "/failing/in"})
    void attemptsOfARetryAreChargedOnce(String path) {
        assertThat(statuses(2, path, "a")).allMatch(status -> status >= 500);
        long attempts = received(path);
        assertThat(attempts).isGreaterThan(4);
        HttpResponse<String> rejected = clients.get(path, "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("quota-exceeded");
        assertThat(received(path)).isEqualTo(attempts);
    }

    @Test
    void shadowRuleRejectsNothing() {
        assertThat(statuses(3, "/watched/1", "a")).containsExactly(200, 200, 200);
        assertThat(clients.get("/actuator/limiter/watched").body()).contains("\"rejections\":2");
    }

    @Test
    void excessTrafficGoesToAnotherRoute() {
        assertThat(Stream.generate(() -> clients.get("/busy", "X-Api-Key", "a").body())
                        .limit(3))
                .containsExactly("/busy", "/spare", "/spare");
    }

    @Test
    void requestsWaitWithoutAThread() {
        CompletableFuture<HttpResponse<String>> first =
                CompletableFuture.supplyAsync(() -> clients.get("/slow/1"), threads);
        await(() -> received("/slow") == 1);
        CompletableFuture<HttpResponse<String>> second =
                CompletableFuture.supplyAsync(() -> clients.get("/slow/2"), threads);
        await(() -> suspended.get() > 0);
        assertThat(received("/slow")).isEqualTo(1);
        slow.countDown();
        assertThat(first.join().statusCode()).isEqualTo(200);
        assertThat(second.join().body()).isEqualTo("/slow/2");
        assertThat(suspended).hasValue(1);
    }

    @Test
    void routeIsExplained() {
        assertThat(statuses(1, "/id/1", "explained")).containsExactly(200);
        String explanation = clients.get("/actuator/limiter/explain?path=/id/1&header.X-Api-Key=explained")
                .body();
        assertThat(JsonPath.<String>read(explanation, "$.result")).isEqualTo("rejected");
        assertThat(JsonPath.<List<String>>read(explanation, "$.rules[?(@.rule == 'id')].result"))
                .containsExactly("rejected");
        assertThat(JsonPath.<List<String>>read(explanation, "$.rules[?(@.rule == 'path')].because"))
                .containsExactly("paths: none matches");
        String other = clients.get("/actuator/limiter/explain?path=/other/1").body();
        assertThat(JsonPath.<List<String>>read(other, "$.rules[?(@.rule == 'id')].because"))
                .containsExactly("routes: none matches");
    }

    @Test
    void unknownRuleOfAFilterFailsAtStartup() {
        String yaml = """
                spring.cloud.gateway.server.webmvc.routes:
                  - {id: orders, uri: "http://127.0.0.1:1", predicates: ["Path=/orders/**"], filters: ["Limiter=apy"]}
                limiter.rules.api: {key: ip, limit: 2, window: 1h}
                """;
        assertThatThrownBy(() -> start(yaml, Gateway.class).close())
                .hasStackTraceContaining("The filter Limiter of the route orders")
                .hasStackTraceContaining("Did you mean api?");
    }

    @Test
    void filterOfARoutePermitsEverythingWithoutLimiter() {
        String yaml = """
                limiter.enabled: false
                spring.cloud.gateway.server.webmvc.routes:
                  - {id: off, uri: BACKEND, predicates: [Path=/off/**], filters: [Limiter=api]}
                """;
        try (ConfigurableApplicationContext gateway = start(yaml, Gateway.class)) {
            assertThat(new Clients(gateway.getEnvironment().getRequiredProperty("local.server.port", Integer.class))
                            .get("/off/1")
                            .body())
                    .isEqualTo("/off/1");
        }
    }
}
