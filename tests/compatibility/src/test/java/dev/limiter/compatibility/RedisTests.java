package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisCluster;
import dev.limiter.testkit.RedisServer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Two instances on one Redis server; the second uses virtual threads where Java has them. */
@Tag("each-line")
class RedisTests {

    private static final Rule ANY = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));

    private static final String[] RULES = Applications.limiter("""
        storage: redis
        redis: { timeout: 5s, instances: 2 }
        rules:
          each: { paths: /each/**, limit: 100, window: 1h, key: "header:X-Api-Key" }
          guarded: { paths: /guarded, limit: 2, window: 1h, max-wait: 1s }
        """, "management.health.redis.enabled=false");

    private static RedisServer redis;
    private static ConfigurableApplicationContext first;
    private static ConfigurableApplicationContext second;

    @BeforeAll
    static void start() {
        redis = RedisServer.started();
        first = Operator.start(Instance.class, RULES, redis.property());
        second = Operator.start(Instance.class, RULES, redis.property(), "spring.threads.virtual.enabled=true");
        awaitRedis(first);
        awaitRedis(second);
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
        redis.close();
    }

    @BeforeEach
    void forget() {
        redis.ask(commands -> commands.flushall());
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void handlersOfTheSecondRunOnVirtualThreads() {
        assertThat(Applications.clientsOf(second).get("/thread").body()).startsWith("VirtualThread");
    }

    @Test
    void limitsHoldAcrossInstances() {
        Map<String, Long> answers = new TreeMap<>();
        List<CompletableFuture<Map<String, Long>>> storms = Stream.of(first, second)
                .map(instance -> CompletableFuture.supplyAsync(
                        () -> Applications.clientsOf(instance).storm("/each/x", "alice", "bob")))
                .toList();
        storms.forEach(storm -> storm.join().forEach((answer, count) -> answers.merge(answer, count, Long::sum)));

        assertThat(answers).isEqualTo(Map.of("alice 200", 100L, "alice 429", 300L, "bob 200", 100L, "bob 429", 300L));
    }

    /** The key is a hash in Redis. An instance caches a rejection that another one lifts. */
    @Test
    void keyThatIsLiftedOnOneInstanceIsLetInOnTheOther() {
        Clients one = Applications.clientsOf(first);
        Clients other = Applications.clientsOf(second);
        one.storm("/each/x", "frank");
        assertThat(other.get("/each/1", "X-Api-Key", "frank").statusCode()).isEqualTo(429);
        assertThat(other.get("/actuator/limiter/each?key=frank").body()).contains("\"remaining\":0");

        assertThat(one.send("DELETE", "/actuator/limiter/each?key=frank").body())
                .contains("\"remaining\":100");

        int status = 429;
        for (int i = 0; i < 10_000 && status == 429; i++) {
            status = other.get("/each/1", "X-Api-Key", "frank").statusCode();
        }
        assertThat(status).isEqualTo(200);
        assertThat(other.get("/actuator/limiter/each?key=frank").body()).contains("\"permitted\":true");
    }

    /** Otherwise clients could guess a key that an interceptor checks, without limit. */
    @Test
    void responsesOfInterceptorsAreChargedAndRejected() {
        Clients clients = Applications.clientsOf(first);
        Stream<Integer> guesses = IntStream.range(0, 5)
                .mapToObj(i -> clients.get("/guarded", "X-Api-Key", "wrong").statusCode());

        assertThat(guesses).containsExactly(401, 401, 429, 429, 429);
        assertThat(clients.get("/guarded", "X-Api-Key", "right").statusCode()).isEqualTo(429);
    }

    @Test
    void healthAndMetersSayThatRedisDecides() {
        Clients clients = Applications.clientsOf(first);
        clients.get("/each/1", "X-Api-Key", "erin");

        HttpResponse<String> health = clients.get("/actuator/health/limiter");
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body()).contains("\"UP\"", "\"redis\":\"available\"");
        assertThat(clients.get("/actuator/metrics/limiter.storage?tag=outcome:ok")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void limitsHoldOnACluster() {
        try (RedisCluster cluster = RedisCluster.ofMasters();
                ConfigurableApplicationContext application = Operator.start(
                        Instance.class, RULES, "spring.data.redis.cluster.nodes=" + cluster.addresses())) {
            awaitRedis(application);
            Clients clients = Applications.clientsOf(application);
            assertThat(clients.storm("/each/x", "alice")).isEqualTo(Map.of("alice 200", 100L, "alice 429", 300L));
        }
    }

    /** Connects in the background. */
    private static void awaitRedis(ConfigurableApplicationContext instance) {
        RateLimiters limiters = instance.getBean(RateLimiters.class);
        await(() -> limiters.tryAcquire(ANY, "nobody").onFailure().isEmpty());
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class, Guard.class})
    static class Instance {}

    @RestController
    static class Endpoints {

        @GetMapping("/thread")
        String thread() {
            return Thread.currentThread().toString();
        }

        @GetMapping({"/each/{id}", "/guarded"})
        String served() {
            return "served";
        }
    }

    static class Guard implements WebMvcConfigurer, HandlerInterceptor {

        @Override
        public void addInterceptors(InterceptorRegistry registry) {
            registry.addInterceptor(this).addPathPatterns("/guarded");
        }

        @Override
        public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
            boolean known = "right".equals(request.getHeader("X-Api-Key"));
            response.setStatus(known ? 200 : 401);
            return known;
        }
    }
}
