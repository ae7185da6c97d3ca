package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Holders of concurrency permits are shown with the time since they hold them, until they release them. */
class HeldPermitsTests {

    private static final String[] RULES = Applications.limiter("""
        rules:
          pool: { paths: /pool/**, key: "header:X-Api-Key", algorithm: concurrency, limit: 2 }
        """);

    private static final String HELD = "$.buckets[0].held.permits";

    private static ConfigurableApplicationContext start(String... more) {
        return Operator.start(Pool.class, RULES, more);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/pool/blocking", "/pool/later"})
    void isShownByOneInstanceWhileItIsHeld(String path) {
        try (ConfigurableApplicationContext application = start()) {
            Operator operator = Operator.of(application);
            List<CompletableFuture<Integer>> served = new ArrayList<>();
            for (int i = 8; i > 0; i--) {
                served.add(request(operator, path, "key" + i));
                int held = served.size();
                await(() -> active(application) == held);
            }

            String key = "pool?key=key1";
            assertThat(operator.<Map<String, Object>>read(key, "$.buckets[0].limits[0]"))
                    .containsEntry("remaining", 1)
                    .containsEntry("inFlight", 1);
            assertThat(operator.<Map<String, Object>>read(key, "$.buckets[0].held"))
                    .containsEntry("permits", 1)
                    .containsEntry("requests", 1);
            Map<String, Object> holder = operator.read(key, "$.buckets[0].held.oldest[0]");
            assertThat(holder)
                    .containsEntry("resource", "GET " + path)
                    .containsEntry("permits", 1)
                    .doesNotContainKey("keyHash");
            assertThat(Instant.parse((String) holder.get("since")))
                    .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(1));
            assertThat(Duration.parse((String) holder.get("heldFor"))).isPositive();
            assertThat((String) holder.get("thread")).isNotEmpty();

            assertThat(operator.<Integer>read("pool", "$.held.permits")).isEqualTo(8);
            assertThat(operator.<List<String>>read("pool", "$.held.oldest[*].since"))
                    .hasSize(8)
                    .isSorted();
            assertThat(operator.rule("pool")).doesNotContain("key1");
            String hash = operator.read("pool", "$.held.oldest[0].keyHash");
            assertThat(operator.<Integer>read("pool?key=" + hash, HELD)).isEqualTo(1);

            operator.revert(key);
            assertThat(operator.<Integer>read(key, HELD)).as("after a reset").isZero();
            assertThat(active(application)).isEqualTo(7);

            application.getBean(Pool.class).gate.countDown();
            assertThat(served).extracting(CompletableFuture::join).containsOnly(200);
            await(() -> active(application) == 0);
            assertThat(operator.<Integer>read("pool?key=key2", HELD)).isZero();
            assertThat(application
                            .getBean(MeterRegistry.class)
                            .get("limiter.held")
                            .tag("rule", "pool")
                            .timer()
                            .count())
                    .isPositive();
        }
    }

    @Test
    void eachInstanceShowsItsOwnAndTheNumberOfAll() {
        try (RedisServer redis = RedisServer.started()) {
            String[] onRedis = {"limiter.storage=redis", "limiter.redis.timeout=5s", redis.property()};
            try (ConfigurableApplicationContext one = start(onRedis);
                    ConfigurableApplicationContext other = start(onRedis)) {
                CompletableFuture<Integer> first = request(Operator.of(one), "/pool/blocking", "acme");
                CompletableFuture<Integer> second = request(Operator.of(other), "/pool/later", "acme");
                await(() -> active(one) == 1 && active(other) == 1);

                showsItsOwn(Operator.of(one), "GET /pool/blocking");
                showsItsOwn(Operator.of(other), "GET /pool/later");

                one.getBean(Pool.class).gate.countDown();
                other.getBean(Pool.class).gate.countDown();
                assertThat(first.join()).isEqualTo(200);
                assertThat(second.join()).isEqualTo(200);
            }
        }
    }

    private static void showsItsOwn(Operator instance, String resource) {
        assertThat(instance.<Map<String, Object>>read("pool?key=acme", "$.buckets[0].limits[0]"))
                .containsEntry("remaining", 0)
                .containsEntry("inFlight", 2);
        assertThat(instance.<Integer>read("pool?key=acme", HELD)).isEqualTo(1);
        assertThat(instance.<String>read("pool?key=acme", "$.buckets[0].held.oldest[0].resource"))
                .isEqualTo(resource);
    }

    private static CompletableFuture<Integer> request(Operator instance, String path, String key) {
        return CompletableFuture.supplyAsync(
                () -> instance.clients().get(path, "X-Api-Key", key).statusCode(), task -> new Thread(task).start());
    }

    private static double active(ConfigurableApplicationContext application) {
        return Operator.of(application).meter("limiter.active?tag=rule:pool");
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Pool {

        private final CountDownLatch gate = new CountDownLatch(1);

        private String pass() throws InterruptedException {
            assertThat(gate.await(60, TimeUnit.SECONDS)).isTrue();
            return "ok";
        }

        @GetMapping("/pool/blocking")
        String blocking() throws InterruptedException {
            return pass();
        }

        @GetMapping("/pool/later")
        Callable<String> later() {
            return this::pass;
        }
    }
}
