package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RawClient;
import dev.limiter.testkit.RealTime;
import dev.limiter.testkit.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** The holders of a concurrency limit's permits, and the time since when: told while they hold them, and no longer. */
class HeldPermitsTests {

    private static final String[] RULES = {
        "management.endpoints.web.exposure.include=limiter",
        "limiter.rules.pool.paths=/pool/**",
        "limiter.rules.pool.key=header:X-Api-Key",
        "limiter.rules.pool.algorithm=concurrency",
        "limiter.rules.pool.limit=2"
    };

    private static ConfigurableApplicationContext start(String... more) {
        return Applications.start(
                Pool.class, Stream.of(RULES, more).flatMap(Stream::of).toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/pool/blocking", "/pool/later"})
    void isShownByOneInstance(String path) {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            Pool pool = application.getBean(Pool.class);
            CompletableFuture<Integer> served = request(clients, path, "acme");
            CompletableFuture<Integer> other = request(clients, path, "other");
            await(() -> pool.entered.getCount() == 0);

            Map<String, Object> bucket = bucket(clients, "acme");
            assertThat(limit(bucket)).containsEntry("remaining", 1).containsEntry("inFlight", 1);
            Map<String, Object> held = map(bucket.get("held"));
            assertThat(held).containsEntry("permits", 1).containsEntry("requests", 1);
            Map<String, Object> holder = first(held.get("oldest"));
            assertThat(holder)
                    .containsEntry("resource", "GET " + path)
                    .containsEntry("permits", 1)
                    .doesNotContainKey("keyHash");
            assertThat(Instant.parse((String) holder.get("since")))
                    .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(1));
            assertThat(Duration.parse((String) holder.get("heldFor"))).isPositive();
            assertThat((String) holder.get("thread")).isNotEmpty();

            String whole = clients.get("/actuator/limiter/pool").body();
            Map<String, Object> all = map(json(whole).get("held"));
            assertThat(all).containsEntry("permits", 2);
            String hash = (String) first(all.get("oldest")).get("keyHash");
            assertThat(map(bucket(clients, hash).get("held"))).containsEntry("permits", 1);
            assertThat(whole).doesNotContain("acme");
            assertThat(active(application)).isEqualTo(2);

            pool.gate.countDown();
            assertThat(served.join()).isEqualTo(200);
            assertThat(other.join()).isEqualTo(200);
            await(() -> active(application) == 0);
            assertThat(map(bucket(clients, "acme").get("held")))
                    .containsEntry("permits", 0)
                    .containsEntry("oldest", List.of());
            assertThat(application
                            .getBean(MeterRegistry.class)
                            .get("limiter.held")
                            .tag("rule", "pool")
                            .timer()
                            .count())
                    .isEqualTo(2);
        }
    }

    @Test
    void eachInstanceShowsItsOwnAndTheNumberOfAll() {
        try (RedisServer redis = RedisServer.started()) {
            String[] onRedis = {"limiter.storage=redis", "limiter.redis.timeout=5s", redis.property()};
            try (ConfigurableApplicationContext one = start(onRedis);
                    ConfigurableApplicationContext other = start(onRedis)) {
                CompletableFuture<Integer> first = request(Applications.clientsOf(one), "/pool/blocking", "acme");
                CompletableFuture<Integer> second = request(Applications.clientsOf(other), "/pool/later", "acme");
                await(() -> one.getBean(Pool.class).entered.getCount() == 1);
                await(() -> other.getBean(Pool.class).entered.getCount() == 1);

                showsItsOwn(Applications.clientsOf(one), "GET /pool/blocking");
                showsItsOwn(Applications.clientsOf(other), "GET /pool/later");

                one.getBean(Pool.class).gate.countDown();
                other.getBean(Pool.class).gate.countDown();
                assertThat(first.join()).isEqualTo(200);
                assertThat(second.join()).isEqualTo(200);
            }
        }
    }

    @Test
    void isShownNoLongerOnceAKeyIsReset() {
        try (ConfigurableApplicationContext application = start("management.endpoint.limiter.access=unrestricted")) {
            Clients clients = Applications.clientsOf(application);
            CompletableFuture<Integer> served = request(clients, "/pool/blocking", "acme");
            CompletableFuture<Integer> other = request(clients, "/pool/blocking", "other");
            await(() -> active(application) == 2);
            assertThat(clients.send("DELETE", "/actuator/limiter/pool?key=acme").statusCode())
                    .isEqualTo(200);
            assertThat(map(bucket(clients, "acme").get("held"))).containsEntry("permits", 0);
            assertThat(active(application)).isEqualTo(1);
            application.getBean(Pool.class).gate.countDown();
            assertThat(served.join()).isEqualTo(200);
            assertThat(other.join()).isEqualTo(200);
            await(() -> active(application) == 0);
        }
    }

    /** Tomcat tells of some of them that they failed, and never that they are over. */
    @Test
    void clientsThatResetTheirConnectionHoldNothing() throws Exception {
        // Tomcat itself would wait in vain for the requests that it has lost
        String[] large = Stream.concat(Stream.of(RULES), Stream.of("server.shutdown=immediate"))
                .map(property -> property.replace("limit=2", "limit=1000"))
                .toArray(String[]::new);
        try (ConfigurableApplicationContext application = Applications.start(Pool.class, large)) {
            Clients clients = Applications.clientsOf(application);
            for (int i = 0; i < 60; i++) {
                try (Socket socket = new RawClient(clients.port()).begin("/pool/events", "X-Api-Key: gone")) {
                    socket.setSoLinger(true, 0);
                    // around the moment of the first event
                    RealTime.pass(Duration.ofMillis(10 + i % 5));
                }
            }
            await(() -> active(application) == 0);
            assertThat(limit(bucket(clients, "gone"))).containsEntry("inFlight", 0);
        }
    }

    @Test
    void whoIsLetThroughWhileListenersAndKeysFailHoldsNothingAfterwards() {
        String[] watched = Stream.concat(
                        Stream.of(RULES),
                        Stream.of(
                                "limiter.rules.watching.paths=/pool/**",
                                "limiter.rules.watching.mode=shadow",
                                "limiter.rules.watching.key=breaking",
                                "limiter.rules.watching.limit=5",
                                "limiter.rules.watching.window=1h"))
                .toArray(String[]::new);
        try (ConfigurableApplicationContext application = Applications.start(Failing.class, watched)) {
            Clients clients = Applications.clientsOf(application);
            for (int i = 0; i < 5; i++) {
                assertThat(clients.get("/pool/quick", "X-Api-Key", "acme").statusCode())
                        .isEqualTo(200);
            }
            assertThat(limit(bucket(clients, "acme"))).containsEntry("inFlight", 0);
            assertThat(active(application)).isZero();
        }
    }

    @Test
    void theOldestHoldComesFirst() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            List<CompletableFuture<Integer>> served = new ArrayList<>();
            for (int i = 1; i <= 8; i++) {
                int held = i;
                served.add(request(clients, "/pool/blocking", "key" + (9 - held)));
                await(() -> active(application) == held);
            }
            Map<String, Object> all =
                    map(json(clients.get("/actuator/limiter/pool").body()).get("held"));
            assertThat((List<?>) all.get("oldest"))
                    .extracting(each -> (String) map(each).get("since"))
                    .hasSize(8)
                    .isSorted();
            application.getBean(Pool.class).gate.countDown();
            assertThat(served).extracting(CompletableFuture::join).containsOnly(200);
        }
    }

    private static void showsItsOwn(Clients instance, String resource) {
        Map<String, Object> bucket = bucket(instance, "acme");
        assertThat(limit(bucket)).containsEntry("remaining", 0).containsEntry("inFlight", 2);
        Map<String, Object> held = map(bucket.get("held"));
        assertThat(held).containsEntry("permits", 1);
        assertThat(first(held.get("oldest"))).containsEntry("resource", resource);
    }

    private static CompletableFuture<Integer> request(Clients clients, String path, String key) {
        return CompletableFuture.supplyAsync(
                () -> clients.get(path, "X-Api-Key", key).statusCode(), task -> new Thread(task).start());
    }

    private static double active(ConfigurableApplicationContext application) {
        return application
                .getBean(MeterRegistry.class)
                .get("limiter.active")
                .tag("rule", "pool")
                .gauge()
                .value();
    }

    private static Map<String, Object> bucket(Clients clients, String key) {
        return first(
                json(clients.get("/actuator/limiter/pool?key=" + key).body()).get("buckets"));
    }

    private static Map<String, Object> limit(Map<String, Object> bucket) {
        return first(bucket.get("limits"));
    }

    private static Map<String, Object> json(String body) {
        return JsonParserFactory.getJsonParser().parseMap(body);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> first(Object list) {
        return ((List<Map<String, Object>>) list).get(0);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Pool.class})
    static class Failing {

        @Bean
        KeyResolver breaking() {
            return context -> {
                throw new StackOverflowError("on purpose");
            };
        }

        @Bean
        RateLimitListener failing() {
            return event -> {
                throw new StackOverflowError("on purpose");
            };
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Pool {

        private final CountDownLatch gate = new CountDownLatch(1);
        private final CountDownLatch entered = new CountDownLatch(2);

        private String pass() throws InterruptedException {
            entered.countDown();
            assertThat(gate.await(60, TimeUnit.SECONDS)).isTrue();
            return "ok";
        }

        @GetMapping("/pool/blocking")
        String blocking() throws InterruptedException {
            return pass();
        }

        @GetMapping("/pool/quick")
        String quick() {
            return "ok";
        }

        @GetMapping("/pool/events")
        SseEmitter events() {
            SseEmitter events = new SseEmitter(50L);
            CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS).execute(() -> {
                try {
                    events.send("one");
                } catch (IOException | IllegalStateException gone) {
                    events.completeWithError(gone);
                }
            });
            return events;
        }

        @GetMapping("/pool/later")
        Callable<String> later() {
            return this::pass;
        }
    }
}
