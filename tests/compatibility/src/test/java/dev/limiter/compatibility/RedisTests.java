package dev.limiter.compatibility;

import static dev.limiter.test.LimiterAssertions.assertThatAnswer;
import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisServer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

/** Two instances of an application on one Redis server; the second one on virtual threads, where Java has them. */
@Tag("each-line")
class RedisTests {

    private static final Rule ANY = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));

    private static RedisServer redis;
    private static ConfigurableApplicationContext first;
    private static ConfigurableApplicationContext second;

    @BeforeAll
    static void start() {
        redis = RedisServer.started();
        first = startInstance();
        second = startInstance("spring.threads.virtual.enabled=true");
        awaitRedis(first);
        awaitRedis(second);
    }

    private static ConfigurableApplicationContext startInstance(String... more) {
        return Applications.start(
                Instance.class,
                Stream.concat(
                                Stream.of(properties(
                                        redis.property(), "limiter.redis.timeout=5s", "limiter.redis.instances=2")),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    private static String[] properties(String... more) {
        return Stream.concat(
                        Stream.of(
                                "limiter.storage=redis",
                                "management.endpoints.web.exposure.include=health,metrics,limiter",
                                "management.endpoint.limiter.access=unrestricted",
                                "management.endpoint.health.show-details=always",
                                "management.health.redis.enabled=false",
                                "limiter.rules.each.paths=/each/**",
                                "limiter.rules.each.limit=100",
                                "limiter.rules.each.window=1h",
                                "limiter.rules.each.key=header:X-Api-Key",
                                "limiter.rules.paced.paths=/paced",
                                "limiter.rules.paced.limit=10",
                                "limiter.rules.paced.window=1s",
                                "limiter.rules.paced.algorithm=leaky-bucket",
                                "limiter.rules.paced.max-wait=5s",
                                "limiter.rules.guarded.paths=/guarded",
                                "limiter.rules.guarded.limit=2",
                                "limiter.rules.guarded.window=1h",
                                "limiter.rules.guarded.max-wait=1s",
                                "limiter.rules.held.paths=/held",
                                "limiter.rules.held.limit=1",
                                "limiter.rules.held.algorithm=concurrency"),
                        Stream.of(more))
                .toArray(String[]::new);
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
    void theSecondInstanceIsOnVirtualThreads() {
        assertThat(Applications.clientsOf(first).get("/thread").body()).doesNotContain("VirtualThread");
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

        assertThat(answers).isEqualTo(Map.of("alice 200", 100L, "alice 429", 900L, "bob 200", 100L, "bob 429", 900L));
    }

    @Test
    void answersAreThoseOfMemory() {
        HttpResponse<String> permitted = Applications.clientsOf(first).get("/each/1", "X-Api-Key", "carol");
        assertThatAnswer(permitted).isPermitted();
        assertThat(permitted.headers().firstValue("RateLimit-Policy")).contains("\"each\";q=100;w=3600");
        assertThat(permitted.headers().firstValue("RateLimit")).contains("\"each\";r=99;t=3564");

        Applications.clientsOf(second).storm("/each/x", "carol");
        HttpResponse<String> rejected = Applications.clientsOf(first).get("/each/1", "X-Api-Key", "carol");
        assertThatAnswer(rejected).isRejected().hasProblemType("quota-exceeded").hasRemaining("each", 0);
        assertThat(rejected.headers().firstValue("Retry-After")).isPresent();
    }

    /** The key is a hash in Redis, and one instance knows a rejection that another one ended. */
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

    @Test
    void instancesTakeTurns() {
        long begin = System.nanoTime();
        List<CompletableFuture<Integer>> answers = IntStream.range(0, 6)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> Applications.clientsOf(i % 2 == 0 ? first : second)
                        .get("/paced")
                        .statusCode()))
                .toList();

        assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo(200));
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(400));
    }

    /** Otherwise the key that an interceptor checks could be guessed without end. */
    @Test
    void whatAnInterceptorAnswersIsChargedAndRejectedLikeAnyOther() {
        Clients clients = Applications.clientsOf(first);
        Stream<Integer> guesses = IntStream.range(0, 5)
                .mapToObj(i -> clients.get("/guarded", "X-Api-Key", "wrong").statusCode());

        assertThat(guesses).containsExactly(401, 401, 429, 429, 429);
        assertThat(clients.get("/guarded", "X-Api-Key", "right").statusCode()).isEqualTo(429);
    }

    @Test
    void whatOneInstanceHoldsNoOtherHas() throws InterruptedException {
        Held held = first.getBean(Held.class);
        CompletableFuture<HttpResponse<String>> holding = CompletableFuture.supplyAsync(
                () -> Applications.clientsOf(first).get("/held"));
        assertThat(held.entered.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Applications.clientsOf(second).get("/held").statusCode()).isEqualTo(503);

        held.leave.countDown();
        assertThat(holding.join().statusCode()).isEqualTo(200);
        second.getBean(Held.class).leave.countDown();
        await(() -> Applications.clientsOf(second).get("/held").statusCode() == 200);
    }

    @Test
    void healthAndMetersSayThatRedisDecides() {
        Clients clients = Applications.clientsOf(first);
        clients.get("/each/1", "X-Api-Key", "erin");

        HttpResponse<String> health = clients.get("/actuator/health/limiter");
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body()).contains("\"UP\"", "\"redis\":\"decides\"");
        assertThat(clients.get("/actuator/metrics/limiter.storage?tag=outcome:ok")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void noHeaderIsInRedisInClear() {
        Applications.clientsOf(first).get("/each/1", "X-Api-Key", "a-secret");

        List<String> keys = redis.ask(commands -> commands.keys("*"));
        assertThat(keys)
                .anySatisfy(key -> assertThat(key).startsWith("limiter:{each:header:x-api-key=hmac:"))
                .noneSatisfy(key -> assertThat(key).contains("a-secret"));
    }

    @Test
    void aKeyOfSomebodyElseIsNoServerError() {
        Clients clients = Applications.clientsOf(first);
        // on a busy machine Redis may be late, and memory answer with the half of this instance
        String dave = IntStream.range(0, 100)
                .mapToObj(i -> "dave" + i)
                .filter(name -> clients.get("/each/1", "X-Api-Key", name)
                        .headers()
                        .firstValue("RateLimit")
                        .orElseThrow()
                        .contains("r=99;"))
                .findFirst()
                .orElseThrow();
        redis.ask(commands -> commands.keys("limiter:{each*").stream()
                .map(key -> commands.del(key) + " " + commands.hset(key, "somebody", "else's"))
                .toList());

        // memory decides by the share of this instance
        assertThat(clients.storm("/each/1", dave)).isEqualTo(Map.of(dave + " 200", 50L, dave + " 429", 950L));
    }

    @Test
    void startsWithoutAServerAndUsesItOnceItIsThere() {
        try (RedisServer later = RedisServer.stopped();
                ConfigurableApplicationContext application =
                        Applications.start(Instance.class, properties(later.property(), "limiter.redis.instances=2"))) {
            Clients clients = Applications.clientsOf(application);
            assertThat(clients.storm("/each/x", "alice")).isEqualTo(Map.of("alice 200", 50L, "alice 429", 950L));

            HttpResponse<String> health = clients.get("/actuator/health");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body()).contains("\"UNKNOWN\"", "does not decide").doesNotContain("DOWN");

            later.start();
            awaitRedis(application);
            assertThat(clients.get("/each/x", "X-Api-Key", "alice")
                            .headers()
                            .firstValue("RateLimit")
                            .orElseThrow())
                    .as("what memory has permitted is not charged to Redis")
                    .startsWith("\"each\";r=99;");

            later.kill();
            assertThat(clients.storm("/each/x", "bob")).isEqualTo(Map.of("bob 200", 50L, "bob 429", 950L));
        }
    }

    /** Connects in the background. */
    private static void awaitRedis(ConfigurableApplicationContext instance) {
        RateLimiters limiters = instance.getBean(RateLimiters.class);
        await(() -> limiters.tryAcquire(ANY, "nobody").onFailure().isEmpty());
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class, Guard.class, Held.class})
    static class Instance {}

    @RestController
    static class Endpoints {

        @GetMapping({"/each/{id}", "/paced", "/guarded"})
        String served() {
            return "served";
        }

        @GetMapping("/thread")
        String thread() {
            return Thread.currentThread().toString();
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

    @RestController
    static class Held {

        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch leave = new CountDownLatch(1);

        @GetMapping("/held")
        String held() throws InterruptedException {
            entered.countDown();
            leave.await(60, TimeUnit.SECONDS);
            return "served";
        }
    }
}
