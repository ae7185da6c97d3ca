package dev.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.embedded.RedisServer;

/** Two instances with the profile redis have the limits of one. */
class SampleOnRedisTests {

    private static RedisServer redis;
    private static ConfigurableApplicationContext first;
    private static ConfigurableApplicationContext second;

    @BeforeAll
    static void start() throws IOException {
        int port = freePort();
        redis = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
        redis.start();
        first = startInstance(port);
        second = startInstance(port);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static ConfigurableApplicationContext startInstance(int redisPort) {
        ConfigurableApplicationContext instance = new SpringApplicationBuilder(SampleApplication.class)
                .profiles("redis")
                .run(
                        "--server.port=0",
                        "--spring.data.redis.url=redis://127.0.0.1:" + redisPort,
                        "--limiter.redis.timeout=5s");
        awaitRedis(instance.getBean(RateLimiters.class));
        return instance;
    }

    /** Connects in the background. */
    private static void awaitRedis(RateLimiters limiters) {
        Rule any = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (limiters.tryAcquire(any, "nobody").onFailure().isPresent()) {
            assertThat(System.nanoTime()).as("connected").isLessThan(deadline);
        }
    }

    @AfterAll
    static void stop() throws IOException {
        first.close();
        second.close();
        redis.stop();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/algorithms/token-bucket", "/algorithms/sliding-window-log", "/orders/1"})
    void bothTogetherPermitTheLimit(String path) {
        Map<Integer, Long> answers = new TreeMap<>();
        Stream.of(first, second)
                .map(instance ->
                        CompletableFuture.supplyAsync(() -> clientsOf(instance).storm("GET", path)))
                .toList()
                .forEach(storm -> storm.join().forEach((status, count) -> answers.merge(status, count, Long::sum)));

        assertThat(answers).containsOnlyKeys(200, 429);
        // into a bucket one more drops every 36 s
        assertThat(answers.get(200)).isBetween(100L, 105L);
    }

    @Test
    void apiKeysAreNotInRedis() {
        assertThat(clientsOf(first).get("/orders", "X-Api-Key", "alice").statusCode())
                .isEqualTo(200);

        assertThat(first.getBean(StringRedisTemplate.class).keys("*"))
                .anySatisfy(key -> assertThat(key).startsWith("sample:limiter:{OrderController.list:"))
                .allSatisfy(key -> assertThat(key).startsWith("sample:limiter:").doesNotContain("alice"));
    }

    private static Clients clientsOf(ConfigurableApplicationContext instance) {
        return new Clients(instance.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }
}
