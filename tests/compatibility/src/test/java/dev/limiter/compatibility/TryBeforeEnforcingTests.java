package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Rules for some keys only, and limits that are tried beside those in force. */
class TryBeforeEnforcingTests {

    private static final int KEYS = 300;

    private static ConfigurableApplicationContext start(String... more) {
        String[] properties = {
            "management.endpoints.web.exposure.include=limiter",
            "management.endpoint.limiter.access=unrestricted",
            "limiter.rules.orders.paths=/orders",
            "limiter.rules.orders.key=header:X-Api-Key",
            "limiter.rules.orders.limit=4",
            "limiter.rules.orders.window=1d",
            "limiter.rules.orders.algorithm=fixed-window",
            "limiter.rules.orders.align=first"
        };
        return Applications.start(
                Limited.class, Stream.of(properties, more).flatMap(Stream::of).toArray(String[]::new));
    }

    private static Set<String> rejected(Clients clients) {
        return rejected(clients, "/orders");
    }

    private static Set<String> rejected(Clients clients, String path) {
        Set<String> rejected = new HashSet<>();
        for (int i = 0; i < KEYS; i++) {
            for (int request = 0; request < 5; request++) {
                if (clients.get(path, "X-Api-Key", "key" + i).statusCode() == 429) {
                    rejected.add("key" + i);
                }
            }
        }
        return rejected;
    }

    private static long count(Clients clients, String rule, String outcome) {
        Matcher count = Pattern.compile("\"decisions\":\\{[^}]*\"" + outcome + "\":(\\d+)")
                .matcher(clients.get("/actuator/limiter/" + rule).body());
        return count.find() ? Long.parseLong(count.group(1)) : 0;
    }

    @Test
    void onlyAShareOfTheKeysIsRejectedAndAlwaysTheSame() {
        Set<String> rejected;
        try (ConfigurableApplicationContext application = start("limiter.rules.orders.rollout=10%")) {
            Clients clients = Applications.clientsOf(application);
            rejected = rejected(clients);
            assertThat(rejected).hasSizeBetween(15, 50);
            assertThat(count(clients, "orders", "rejected")).isEqualTo(rejected.size());
            assertThat(count(clients, "orders", "shadow-rejected")).isEqualTo(KEYS - rejected.size());
            assertThat(clients.get("/actuator/limiter/orders").body()).contains("\"rollout\":\"10%\"");

            for (String key : List.of("key1", "key2", "key3", "key4", "key5", "key6", "key7", "key8")) {
                assertThat(clients.get("/actuator/limiter/explain?path=/orders&header.X-Api-Key=" + key)
                                .body())
                        .contains("\"result\":\"" + (rejected.contains(key) ? "rejected" : "permitted") + "\"");
            }

            assertThat(clients.post("/actuator/limiter/orders", "{\"rollout\":\"30 %\"}")
                            .body())
                    .contains("\"rollout\":\"30%\"");
            Set<String> more = rejected(clients);
            assertThat(more).containsAll(rejected).hasSizeBetween(60, 130);
        }
        try (ConfigurableApplicationContext application = start("limiter.rules.orders.rollout=10%")) {
            assertThat(rejected(Applications.clientsOf(application))).isEqualTo(rejected);
        }
    }

    /** Of endpoints with a bucket each, and of methods. */
    @Test
    void sameClientsAreRejectedEverywhere() {
        try (ConfigurableApplicationContext application = start(
                "limiter.rules.orders.paths=/orders,/both",
                "limiter.rules.orders.scope=endpoint",
                "limiter.rules.orders.rollout=50%",
                "limiter.rules.report.key=header:X-Api-Key",
                "limiter.rules.report.limit=4",
                "limiter.rules.report.rollout=50%")) {
            Clients clients = Applications.clientsOf(application);
            Set<String> rejected = rejected(clients);
            assertThat(rejected).hasSizeBetween(100, 200);
            assertThat(rejected(clients, "/both")).isEqualTo(rejected);
            assertThat(rejected(clients, "/report")).isEqualTo(rejected);
        }
    }

    @Test
    void keyIsResolvedOnceForEachRequest() {
        try (ConfigurableApplicationContext application =
                start("limiter.rules.orders.rollout=50%", "limiter.rules.orders.key=counting")) {
            Clients clients = Applications.clientsOf(application);
            Counting counting = application.getBean(Counting.class);
            Set<Integer> statuses = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                for (int request = 0; request < 5; request++) {
                    statuses.add(clients.get("/orders", "X-Api-Key", "key" + i).statusCode());
                }
            }
            assertThat(statuses).containsExactlyInAnyOrder(200, 429);
            assertThat(counting.resolved).hasValue(50);
        }
    }

    @Test
    void candidateOfResolvedLimitsIsTheSameForAllKeys() {
        try (ConfigurableApplicationContext application =
                start("limiter.rules.orders.limit-resolver=#{3}", "limiter.rules.orders.candidate.limit=2")) {
            Clients clients = Applications.clientsOf(application);
            for (int i = 0; i < 5; i++) {
                assertThat(clients.get("/orders", "X-Api-Key", "acme").statusCode())
                        .isEqualTo(i < 3 ? 200 : 429);
            }
            assertThat(count(clients, "orders-candidate", "permitted")).isEqualTo(2);
            assertThat(count(clients, "orders-candidate", "shadow-rejected")).isEqualTo(3);
        }
    }

    /** The end of a request that the rule rejects is not known. */
    @Test
    void candidateChargesNothingForWhatMightHaveBeenFree() {
        try (ConfigurableApplicationContext application = start(
                "limiter.rules.orders.charge-if=#{#request.getHeader('X-Wrong') != null}",
                "limiter.rules.orders.candidate.limit=7")) {
            Clients clients = Applications.clientsOf(application);
            for (int i = 0; i < 4; i++) {
                clients.get("/orders", "X-Api-Key", "a", "X-Wrong", "yes");
            }
            for (int i = 0; i < 10; i++) {
                assertThat(clients.get("/orders", "X-Api-Key", "a").statusCode())
                        .isEqualTo(429);
            }
            assertThat(count(clients, "orders-candidate", "shadow-rejected")).isZero();
            assertThat(count(clients, "orders-candidate", "permitted")).isEqualTo(14);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "4", "7"})
    void candidateCountsWhatItWouldHaveDone(long limit) {
        try (ConfigurableApplicationContext application = start(
                "limiter.rules.orders.candidate.limit=" + limit,
                "limiter.rules.orders.ban.after=3",
                "limiter.rules.orders.ban.within=1d",
                "limiter.rules.orders.ban.for=1d")) {
            Clients clients = Applications.clientsOf(application);
            Random random = new Random(limit);
            Map<String, Integer> requests = new HashMap<>();
            for (int i = 0; i < 400; i++) {
                String key = "key" + (int) Math.abs(random.nextGaussian() * 20);
                int before = requests.merge(key, 1, Integer::sum) - 1;
                assertThat(clients.get("/orders", "X-Api-Key", key).statusCode())
                        .isEqualTo(before < 4 ? 200 : 429);
            }
            long permitted = requests.values().stream()
                    .mapToLong(count -> Math.min(count, limit))
                    .sum();
            assertThat(count(clients, "orders-candidate", "permitted")).isEqualTo(permitted);
            assertThat(count(clients, "orders-candidate", "shadow-rejected")).isEqualTo(400 - permitted);
            assertThat(clients.get("/actuator/limiter/orders-candidate").body())
                    .contains("\"candidateOf\":\"orders\"", "\"mode\":\"shadow\"", "\"limit\":" + limit);
            assertThat(clients.post("/actuator/limiter/orders", "{\"mode\":\"shadow\"}")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void suggestsALimit() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            assertThat(clients.get("/actuator/limiter/orders?suggest=10").statusCode())
                    .isEqualTo(400);
            assertThat(clients.post("/actuator/limiter/orders", "{\"observe\":true}")
                            .statusCode())
                    .isEqualTo(200);
            for (int key = 1; key <= 10; key++) {
                for (int i = 0; i < key; i++) {
                    clients.get("/orders", "X-Api-Key", "key" + key);
                }
            }
            assertThat(clients.get("/actuator/limiter/orders?suggest=10%25").body())
                    .contains("\"limit\":9", "\"window\":\"PT24H\"", "\"keys\":10", "\"requests\":55");
            assertThat(clients.get("/actuator/limiter/orders?suggest=all").statusCode())
                    .isEqualTo(400);
            clients.post("/actuator/limiter/orders", "{\"observe\":false}");
            assertThat(clients.get("/actuator/limiter/orders?suggest=10").statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void limitIsSuggestedForEachTier() {
        try (ConfigurableApplicationContext application = start(
                "limiter.rules.orders.tier-by=header:X-Plan",
                "limiter.rules.orders.tiers.gold.limit=100",
                "limiter.rules.orders.tiers.free.limit=1")) {
            Clients clients = Applications.clientsOf(application);
            clients.post("/actuator/limiter/orders", "{\"observe\":true}");
            for (int key = 1; key <= 10; key++) {
                for (int i = 0; i < key; i++) {
                    clients.get("/orders", "X-Api-Key", "key" + key);
                    clients.get("/orders", "X-Api-Key", "gold" + key, "X-Plan", "gold");
                    clients.get("/orders", "X-Api-Key", "gold" + key, "X-Plan", "gold");
                }
            }
            assertThat(clients.get("/actuator/limiter/orders?suggest=10%25").body())
                    .contains(
                            "\"limit\":9",
                            "\"keys\":10",
                            "\"requests\":55",
                            "\"tiers\":{\"gold\":{\"limit\":18,\"keys\":10,\"requests\":110}}");
        }
    }

    @Test
    void candidateIsChangedWhereItIsWritten() {
        try (ConfigurableApplicationContext application = start("limiter.rules.orders.candidate.limit=2")) {
            Clients clients = Applications.clientsOf(application);
            for (String json : List.of(
                    "{\"limit\":3}",
                    "{\"mode\":\"enforce\"}",
                    "{\"key\":\"acme\",\"limit\":7,\"until\":\"2h\"}",
                    "{\"key\":\"acme\",\"ban\":true}")) {
                HttpResponse<String> answer = clients.post("/actuator/limiter/orders-candidate", json);
                assertThat(answer.statusCode()).as(json).isEqualTo(400);
                assertThat(answer.body())
                        .contains("LIM-501", "the candidate of orders", "limiter.rules.orders.candidate");
            }
            assertThat(clients.post("/actuator/limiter/orders-candidate", "{\"observe\":true}")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void candidateOfAMethodAndOfNamedLimits() {
        try (ConfigurableApplicationContext application = start(
                "limiter.rules.report.candidate.limit=1",
                "limiter.rules.both.paths=/both",
                "limiter.rules.both.limits.per-hour.limit=5",
                "limiter.rules.both.limits.per-hour.window=1h",
                "limiter.rules.both.limits.per-day.limit=9",
                "limiter.rules.both.limits.per-day.window=1d",
                "limiter.rules.both.candidate.limits.per-day.limit=2")) {
            Clients clients = Applications.clientsOf(application);
            for (int i = 0; i < 3; i++) {
                assertThat(clients.get("/report").statusCode()).isEqualTo(200);
                assertThat(clients.get("/both").statusCode()).isEqualTo(200);
            }
            assertThat(count(clients, "report-candidate", "shadow-rejected")).isEqualTo(2);
            assertThat(count(clients, "both-candidate", "shadow-rejected")).isEqualTo(1);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Counting.class})
    @RestController
    static class Limited {

        @GetMapping({"/orders", "/both"})
        String get() {
            return "ok";
        }

        @GetMapping("/report")
        @RateLimiter(value = "report", limit = 5, window = "1h")
        String report() {
            return "ok";
        }
    }

    /** The API key, and how often it was asked for. */
    @Component("counting")
    static final class Counting implements KeyResolver {

        private final AtomicInteger resolved = new AtomicInteger();

        @Override
        public @Nullable String resolve(RateLimitContext context) {
            resolved.incrementAndGet();
            RequestView request = context.request();
            return request == null ? null : request.getHeader("X-Api-Key");
        }
    }
}
