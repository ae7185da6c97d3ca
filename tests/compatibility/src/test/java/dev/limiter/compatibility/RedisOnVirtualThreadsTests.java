package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisCluster;
import dev.limiter.testkit.RedisServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Limits in Redis where each request has a virtual thread, which Spring Boot has on Java 21 and later. */
@EnabledForJreRange(min = JRE.JAVA_21)
class RedisOnVirtualThreadsTests {

    private static final Rule ANY = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));
    private static final int AT_ONCE = 3;

    @Test
    void limitsHoldOnAServer() {
        try (RedisServer redis = RedisServer.started();
                ConfigurableApplicationContext application = start(redis.property())) {
            assertThatLimitsHold(application);
        }
    }

    @Test
    void limitsHoldOnACluster() {
        try (RedisCluster cluster = RedisCluster.ofMasters();
                ConfigurableApplicationContext application =
                        start("spring.data.redis.cluster.nodes=" + cluster.addresses())) {
            assertThatLimitsHold(application);
        }
    }

    private static ConfigurableApplicationContext start(String redis) {
        ConfigurableApplicationContext application = Applications.start(
                Instance.class,
                redis,
                "spring.threads.virtual.enabled=true",
                "limiter.storage=redis",
                "limiter.redis.timeout=10s",
                "limiter.rules.each.paths=/each",
                "limiter.rules.each.limit=100",
                "limiter.rules.each.window=1h",
                "limiter.rules.each.key=header:X-Api-Key",
                "limiter.rules.paced.paths=/paced",
                "limiter.rules.paced.limit=10",
                "limiter.rules.paced.window=1s",
                "limiter.rules.paced.algorithm=leaky-bucket",
                "limiter.rules.paced.max-wait=20s",
                "limiter.rules.held.paths=/held",
                "limiter.rules.held.limit=" + AT_ONCE,
                "limiter.rules.held.algorithm=concurrency");
        RateLimiters limiters = application.getBean(RateLimiters.class);
        await(() -> limiters.tryAcquire(ANY, "nobody").onFailure().isEmpty());
        return application;
    }

    private static void assertThatLimitsHold(ConfigurableApplicationContext application) {
        Clients clients = Applications.clientsOf(application);
        assertThat(clients.get("/each", "X-Api-Key", "bob").body()).startsWith("VirtualThread");
        assertThat(clients.storm("/each", "alice")).isEqualTo(Map.of("alice 200", 100L, "alice 429", 900L));

        long begin = System.nanoTime();
        List<CompletableFuture<HttpResponse<String>>> paced = IntStream.range(0, 6)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> clients.get("/paced")))
                .toList();
        assertThat(paced).allSatisfy(answer -> {
            assertThat(answer.join().statusCode()).isEqualTo(200);
            assertThat(answer.join().body()).startsWith("VirtualThread");
        });
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(400));

        assertThat(clients.stormOf("GET", "/held")).containsKey(200);
        assertThat(application.getBean(Endpoints.class).most).hasValueBetween(1, AT_ONCE);
        await(() -> clients.get("/held").statusCode() == 200);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class})
    static class Instance {}

    @RestController
    static class Endpoints {

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        @GetMapping({"/each", "/paced"})
        String thread() {
            return Thread.currentThread().toString();
        }

        @GetMapping("/held")
        String held() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            Thread.yield();
            inside.decrementAndGet();
            return "served";
        }
    }
}
