package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.spring.operate.series.DecisionSeries;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The page of instances that share a Redis: the decisions of all, and of each. */
@Tag("long")
@ExtendWith(OutputCaptureExtension.class)
class SharedDashboardTests {

    private RedisServer redis;
    private ConfigurableApplicationContext one;
    private ConfigurableApplicationContext other;

    @BeforeEach
    void start() {
        redis = RedisServer.started();
        one = instance(redis, "HOSTNAME=web-1", "limiter.dashboard.enabled=true");
        other = instance(redis, "HOSTNAME=<b>web-2", "limiter.dashboard.enabled=true");
    }

    @AfterEach
    void stop() {
        one.close();
        other.close();
        redis.close();
    }

    private static ConfigurableApplicationContext instance(RedisServer redis, String... more) {
        return Applications.start(
                Application.class,
                Stream.of(
                                new String[] {
                                    "limiter.storage=redis",
                                    "limiter.redis.timeout=5s",
                                    "limiter.rules.api.paths=/api",
                                    "limiter.rules.api.limit=7",
                                    "limiter.rules.api.window=10h",
                                    "limiter.rules.api.key=header:X-Api-Key",
                                    "management.endpoints.web.exposure.include=limiter",
                                    redis.property()
                                },
                                more)
                        .flatMap(Stream::of)
                        .toArray(String[]::new));
    }

    private static Map<String, Object> series(ConfigurableApplicationContext instance) {
        return JsonPath.read(
                Applications.clientsOf(instance)
                        .get("/actuator/limiter?after=0")
                        .body(),
                "$");
    }

    private static int sum(Object counts) {
        return ((List<?>) counts).stream().mapToInt(count -> (Integer) count).sum();
    }

    private static int sum(ConfigurableApplicationContext instance, String path) {
        return sum(JsonPath.<Object>read(series(instance), path));
    }

    private static List<Map<String, Object>> instances(ConfigurableApplicationContext instance) {
        Map<String, Object> series = series(instance);
        return series.containsKey("instances") ? JsonPath.read(series, "$.instances.*") : List.of();
    }

    private static String name(String host, ConfigurableApplicationContext instance) {
        return host + ":" + Applications.clientsOf(instance).port();
    }

    private static void send(ConfigurableApplicationContext instance, int times) {
        Clients clients = Applications.clientsOf(instance);
        for (int i = 0; i < times; i++) {
            clients.get("/api", "X-Api-Key", "acme");
        }
    }

    private static boolean hears(ConfigurableApplicationContext instance, int instances) {
        return instances(instance).size() == instances;
    }

    @Test
    void sumsAllAndShowsEach() {
        await(() -> hears(one, 2) && hears(other, 2));
        send(one, 5);
        send(other, 5);
        for (ConfigurableApplicationContext instance : List.of(one, other)) {
            await(() -> series(instance).toString().contains("api")
                    && sum(instance, "$.rules.api.permitted") == 7
                    && sum(instance, "$.rules.api.refused") == 3);
            assertThat(sum(instance, "$.all.permitted")).isEqualTo(7);
            assertThat(sum(instance, "$.all.refused")).isEqualTo(3);
            for (Map<String, Object> each : instances(instance)) {
                boolean first = each.get("name").equals(name("web-1", one));
                assertThat(each.get("name")).isEqualTo(first ? name("web-1", one) : name("<b>web-2", other));
                assertThat(each).containsEntry("own", first == (instance == one));
                assertThat(sum(each.get("permitted"))).isEqualTo(first ? 5 : 2);
                assertThat(sum(each.get("refused"))).isEqualTo(first ? 0 : 3);
            }
        }
    }

    @Test
    void anInstanceThatEndsIsForgottenAndItsDecisionsAreNot() {
        await(() -> hears(one, 2));
        send(other, 3);
        await(() -> sum(one, "$.all.permitted") == 3);
        other.close();
        DecisionSeries series = one.getBean(DecisionSeries.class);
        for (int second = 0; second < 30; second++) {
            series.share();
        }
        await(() -> hears(one, 1));
        assertThat(sum(one, "$.all.permitted")).isEqualTo(3);
    }

    @Test
    void countsGoOnWithoutRedisAndBeginAgainWithIt(CapturedOutput output) {
        await(() -> hears(one, 2));
        redis.kill();
        send(one, 3);
        await(() -> sum(one, "$.all.permitted") + sum(one, "$.all.refused") == 3);
        await(() -> output.toString().contains("Redis does not tell those of others"));
        redis.start();
        await(() -> {
            send(other, 1);
            return sum(one, "$.all.permitted") + sum(one, "$.all.refused") > 3;
        });
        assertThat(output.toString().split("Redis does not tell those of others", -1))
                .as("once for each instance")
                .hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void whatSomebodyElseWritesThereHarmsNothing() {
        await(() -> hears(one, 2));
        StringRedisTemplate template = one.getBean(StringRedisTemplate.class);
        String key = template.keys("*samples").iterator().next();
        for (int i = 0; i < 50; i++) {
            template.opsForZSet().add(key, "no sample " + i, System.currentTimeMillis() * 1000.0 + 5_000_000);
        }
        send(other, 2);
        await(() -> sum(one, "$.all.permitted") == 2);
        template.delete(key);
        template.opsForValue().set(key, "another type");
        send(one, 1);
        await(() -> sum(one, "$.all.permitted") == 3);
        template.delete(key);
        await(() -> {
            send(other, 1);
            return sum(one, "$.all.permitted") + sum(one, "$.all.refused") > 3;
        });
    }

    @Test
    void nothingIsToldWithoutThePage() {
        try (RedisServer empty = RedisServer.started();
                ConfigurableApplicationContext without = instance(empty, "limiter.dashboard.enabled=false")) {
            send(without, 1);
            assertThat(without.getBean(StringRedisTemplate.class).keys("*samples"))
                    .isEmpty();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Application {

        @GetMapping("/api")
        String get() {
            return "ok";
        }
    }
}
