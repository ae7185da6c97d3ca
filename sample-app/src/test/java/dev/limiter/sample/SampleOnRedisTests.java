package dev.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Two instances with the profile redis share their limits. */
class SampleOnRedisTests {

    private static RedisServer redis;
    private static ConfigurableApplicationContext first;
    private static ConfigurableApplicationContext second;

    @BeforeAll
    static void start() {
        redis = RedisServer.started();
        first = startInstance();
        second = startInstance();
    }

    private static ConfigurableApplicationContext startInstance() {
        ConfigurableApplicationContext instance = new SpringApplicationBuilder(SampleApplication.class)
                .profiles("redis")
                .run("--server.port=0", "--" + redis.property(), "--limiter.redis.timeout=5s");
        awaitRedis(instance.getBean(RateLimiters.class));
        return instance;
    }

    /** Waits for the connection, which is made in the background. */
    private static void awaitRedis(RateLimiters limiters) {
        Rule any = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));
        Conditions.await(() -> limiters.tryAcquire(any, "any").onFailure().isEmpty());
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/algorithms/token-bucket", "/algorithms/sliding-window-log", "/orders/1"})
    void bothTogetherPermitTheLimit(String path) {
        Map<Integer, Long> responses = new TreeMap<>();
        Stream.of(clientsOf(first), clientsOf(second))
                .map(instance -> CompletableFuture.supplyAsync(() -> instance.stormOf("GET", path)))
                .toList()
                .forEach(storm -> storm.join().forEach((status, count) -> responses.merge(status, count, Long::sum)));

        assertThat(responses).containsOnlyKeys(200, 429);
        // a bucket gets one token every 36 s
        assertThat(responses.get(200)).isBetween(100L, 105L);
    }

    @Test
    void apiKeysAreNotInRedis() {
        assertThat(clientsOf(first).get("/orders", "X-Api-Key", "alice").statusCode())
                .isEqualTo(200);

        assertThat(redis.<List<String>>ask(commands -> commands.keys("*")))
                .anySatisfy(key -> assertThat(key).startsWith("sample:limiter:{OrderController.list:"))
                .allSatisfy(key -> assertThat(key).startsWith("sample:limiter:").doesNotContain("alice"));
    }

    private static Clients clientsOf(ConfigurableApplicationContext instance) {
        return new Clients(instance.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }
}
