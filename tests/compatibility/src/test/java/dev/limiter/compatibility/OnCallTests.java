package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A customer calls: "I get 429 and should not." What somebody on call asks then, with nothing but HTTP. */
@ExtendWith(OutputCaptureExtension.class)
class OnCallTests {

    private static final String[] RULES = {
        "management.endpoints.web.exposure.include=limiter",
        "management.endpoint.limiter.access=unrestricted",
        "limiter.rules.orders.paths=/api/orders/**",
        "limiter.rules.orders.key=header:X-Api-Key",
        "limiter.rules.orders.limit=5",
        "limiter.rules.orders.window=1h",
        "limiter.rules.orders.ban.after=3",
        "limiter.rules.orders.ban.within=1h",
        "limiter.rules.orders.ban.for=1d"
    };

    private static ConfigurableApplicationContext start(String... more) {
        return Applications.start(
                Limited.class, Stream.of(RULES, more).flatMap(Stream::of).toArray(String[]::new));
    }

    @Test
    void customerIsLetInByOneInstance(CapturedOutput output) {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            isLetIn(clients, clients, output);
        }
    }

    @Test
    void customerIsLetInByAllInstancesOnRedis(CapturedOutput output) {
        try (RedisServer redis = RedisServer.started()) {
            String[] onRedis = {
                "limiter.storage=redis",
                "limiter.redis.timeout=5s",
                "limiter.redis.key-secret=a secret of sixteen characters",
                redis.property()
            };
            try (ConfigurableApplicationContext first = start(onRedis);
                    ConfigurableApplicationContext second = start(onRedis)) {
                isLetIn(Applications.clientsOf(first), Applications.clientsOf(second), output);
            }
        }
    }

    /** The customer has come to one instance; the operator asks another one. */
    private static void isLetIn(Clients customers, Clients operator, CapturedOutput output) {
        for (int i = 0; i < 12; i++) {
            customers.get("/api/orders/42", "X-Api-Key", "acme");
        }

        // which rule is it, and whose bucket
        Map<String, Object> explained =
                json(operator.get("/actuator/limiter/explain?path=/api/orders/42&header.X-Api-Key=acme"));
        assertThat(explained).containsEntry("result", "banned");
        Map<String, Object> rule = first(explained.get("rules"));
        assertThat(rule).containsEntry("rule", "orders").containsEntry("result", "banned");
        String hash = (String) rule.get("keyHash");

        // how much is left, until when, and who else
        Map<String, Object> bucket =
                first(json(operator.get("/actuator/limiter/orders?key=acme")).get("buckets"));
        assertThat(bucket).containsEntry("used", true).containsEntry("banned", true);
        assertThat((String) bucket.get("banEndsAfter")).startsWith("PT23H");
        assertThat(first(bucket.get("limits"))).containsEntry("remaining", 0);
        assertThat(first(json(customers.get("/actuator/limiter")).get("rejectedMost")))
                .containsEntry("keyHash", hash)
                .containsEntry("rejections", 7);

        // let the customer in, with more for today
        String key = URLEncoder.encode("acme", StandardCharsets.UTF_8);
        assertThat(operator.send("DELETE", "/actuator/limiter/orders?key=" + key + "&reason=ticket%207")
                        .statusCode())
                .isEqualTo(200);
        assertThat(operator.post(
                                "/actuator/limiter/orders",
                                "{\"key\":\"acme\",\"limit\":100,\"until\":\"1d\",\"reason\":\"ticket 7\"}")
                        .statusCode())
                .isEqualTo(200);
        Conditions.await(
                () -> customers.get("/api/orders/42", "X-Api-Key", "acme").statusCode() == 200);
        for (int i = 0; i < 20; i++) {
            assertThat(customers.get("/api/orders/42", "X-Api-Key", "acme").statusCode())
                    .isEqualTo(200);
        }

        // and it is written down who did that, and why
        assertThat(output)
                .contains("LIMITER_KEY_RESET by anonymous", "LIMITER_KEY_OVERRIDDEN by anonymous", hash, "\"ticket 7\"")
                .doesNotContain("acme");
    }

    private static Map<String, Object> json(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParserFactory.getJsonParser().parseMap(answer.body());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> first(Object list) {
        return ((List<Map<String, Object>>) list).get(0);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Limited {

        @GetMapping("/api/orders/{id}")
        String order(@PathVariable String id) {
            return "ok";
        }
    }
}
