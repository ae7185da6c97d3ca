package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Limits in Redis: an event loop never waits for it, whether it replies or not. */
class RedisTests {

    private static final String RULES = """
            limiter:
              storage: redis
              rules:
                limited: {paths: ["/limited"], key: "header:X-Api-Key", limit: 5, window: 1h, algorithm: fixed-window}
                flight: {paths: ["/limited"], key: global, limit: 1000, algorithm: concurrency}
                early: {paths: ["/early"], phase: request, key: "header:X-Api-Key", limit: 5, window: 1h, algorithm: fixed-window}
                annotated: {key: "header:X-Api-Key", limit: 5, window: 1h, algorithm: fixed-window}
                plain: {key: "header:X-Api-Key", limit: 5, window: 1h, algorithm: fixed-window}
                annotated-events: {limit: 100, algorithm: concurrency}
                refunded: {paths: ["/refunded"], key: "header:X-Api-Key", limit: 5, window: 1h, charge-if: failed}
                both: {paths: ["/refunded"], key: global, limit: 100000, window: 1h}
            """;

    private static final RedisServer redis = RedisServer.started();
    private static final Applications applications = new Applications();
    private static Clients clients;
    private static Clients others;
    private static Streams streams;
    private static Streams streamsOfOthers;

    @BeforeAll
    static void start() {
        BlockingCalls.install();
        ConfigurableApplicationContext context = applications.start(Streams.class, RULES, "--" + redis.property());
        clients = Applications.clients(context);
        streams = context.getBean(Streams.class);
        // waits for Redis until it is resumed
        ConfigurableApplicationContext patient =
                applications.start(Streams.class, RULES, "--" + redis.property(), "--limiter.redis.timeout=10s");
        others = Applications.clients(patient);
        streamsOfOthers = patient.getBean(Streams.class);
    }

    @AfterEach
    void resume() {
        redis.resume();
    }

    @AfterAll
    static void stop() {
        applications.close();
        redis.close();
    }

    @ParameterizedTest
    @CsvSource({"/limited", "/early", "/annotated", "/plain"})
    void instancesShareLimits(String path) {
        for (int i = 0; i < 5; i++) {
            assertThat((i % 2 == 0 ? clients : others)
                            .get(path, "X-Api-Key", "shared")
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(clients.get(path, "X-Api-Key", "shared").statusCode()).isEqualTo(429);
        assertThat(others.get(path, "X-Api-Key", "shared").statusCode()).isEqualTo(429);
        assertThat(clients.storm(path, "storm-1", "storm-2"))
                .containsEntry("storm-1 200", 5L)
                .containsEntry("storm-2 200", 5L);
    }

    @Test
    void refundedRequestsDoNotGoOnInAThreadOfTheRedisClient() {
        streams.committing.clear();
        for (int i = 0; i < 20; i++) {
            assertThat(clients.get("/refunded", "X-Api-Key", "a")
                            .headers()
                            .firstValue("RateLimit")
                            .orElseThrow())
                    .contains("\"refunded\";r=5");
        }
        assertThat(streams.committing)
                .isNotEmpty()
                .allMatch(name -> name.startsWith(Streams.EVENT_LOOP) || name.startsWith("parallel-"));
    }

    @Test
    void unlimitedRequestsAreServedWhileLimitedOnesWaitForRedis() {
        others.get("/limited", "X-Api-Key", "connected");
        int arrived = streamsOfOthers.arrived.get();
        redis.pause();
        List<CompletableFuture<HttpResponse<String>>> limited = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            limited.add(others.begin("/limited", "X-Api-Key", "waiting-" + i));
        }
        Conditions.await(() -> streamsOfOthers.arrived.get() == arrived + 20);
        for (int i = 0; i < 10; i++) {
            assertThat(others.get("/free").statusCode()).isEqualTo(200);
        }
        assertThat(limited).noneMatch(CompletableFuture::isDone);
        redis.resume();
        assertThat(limited)
                .allSatisfy(response -> assertThat(response.join().statusCode()).isEqualTo(200));
    }

    @Test
    void noEventLoopBlocks() {
        BlockingCalls.clear();
        clients.storm("/limited", "watched-1", "watched-2");
        redis.pause();
        assertThat(clients.storm("/limited", "down-1", "down-2").keySet())
                .isSubsetOf("down-1 200", "down-1 429", "down-2 200", "down-2 429")
                .contains("down-1 200", "down-1 429");
        for (String path : new String[] {"/early", "/annotated", "/plain"}) {
            assertThat(clients.get(path, "X-Api-Key", "down").statusCode()).isEqualTo(200);
        }
        assertThat(clients.storm("/free", "any")).isEqualTo(Map.of("any 200", 400L));
        redis.resume();
        clients.storm("/limited", "back-1", "back-2");
        assertThat(BlockingCalls.found())
                .filteredOn(call -> call.lines().anyMatch(frame -> frame.matches("dev\\.limiter\\.(?!webflux).*")))
                .isEmpty();
        // a limited handler method goes on in a thread of Reactor
        assertThat(streams.committing)
                .allMatch(name -> name.startsWith(Streams.EVENT_LOOP) || name.startsWith("parallel-"));
    }

    @Test
    void eventLoopThatBlocksIsFound() {
        BlockingCalls.clear();
        assertThat(clients.get("/filtered/blocking").statusCode()).isEqualTo(202);
        assertThat(BlockingCalls.found()).singleElement(STRING).contains(Streams.EVENT_LOOP, "park");
    }
}
