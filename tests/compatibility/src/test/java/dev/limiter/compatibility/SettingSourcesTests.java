package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.testkit.Clients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The endpoint says where each setting of a rule was written. */
@Tag("each-line")
class SettingSourcesTests {

    private static final String ENDPOINT = "/actuator/limiter/";

    @Test
    void areToldOfTheStrongestPlace(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("rules.yml"), "limiter:\n  rules:\n    reports:\n      limit: 30\n      mode: shadow\n");
        try (ConfigurableApplicationContext application = start(
                "limiter.rules-file=" + file,
                "limiter.rules.reports.limit=20",
                "limiter.rules.reports.key=header:X-Api-Key",
                "limiter.rules.reports.condition=#{#request.getHeader('X-Secret') != 'sesame'}")) {
            Clients clients = Applications.clientsOf(application);
            assertThat(clients.post(ENDPOINT + "reports", "{\"limit\":40}").statusCode())
                    .isEqualTo(200);

            String body = clients.get(ENDPOINT + "reports").body();
            assertThat(JsonPath.<String>read(body, "$.sources.limit.value")).isEqualTo("40");
            assertThat(JsonPath.<String>read(body, "$.sources.limit.from"))
                    .startsWith("limit of change 1 by anonymous at 20");
            assertThat(JsonPath.<String>read(body, "$.sources.mode.from")).contains("rules.yml] - 5:13");
            assertThat(JsonPath.<String>read(body, "$.sources.window.from")).contains("window of @RateLimiter on");
            assertThat(JsonPath.<Map<String, Object>>read(body, "$.sources['condition']"))
                    .containsOnlyKeys("from");
            assertThat(body).doesNotContain("sesame");

            clients.send("DELETE", ENDPOINT + "reports");
            Files.writeString(file, "limiter:\n  rules:\n    reports:\n      key: ip\n");
            await(() -> clients.get(ENDPOINT + "reports").body().contains("\"value\":\"[ip]\""));
            body = clients.get(ENDPOINT + "reports").body();
            assertThat(JsonPath.<String>read(body, "$.sources.limit.value")).isEqualTo("20");
            assertThat(JsonPath.<String>read(body, "$.sources.limit.from"))
                    .contains("limiter.rules.reports.limit (", "limiter.rules.reports.limit\"");
            assertThat(JsonPath.<String>read(body, "$.sources.key.from")).contains("rules.yml] - 4:12");
            assertThat(JsonPath.<Map<String, Object>>read(body, "$.sources")).doesNotContainKey("mode");
        }
    }

    @Test
    void aChangeIsShownWithItsAuthorAndTheCapBesideIt() {
        try (ConfigurableApplicationContext application =
                start("limiter.caps.Reports.limit=50", "limiter.caps.Reports.window=1h")) {
            Clients clients = Applications.clientsOf(application);
            clients.post(ENDPOINT + "reports", "{\"limit\":40,\"reason\":\"ticket 7\"}");
            clients.post(ENDPOINT + "reports", "{\"window\":\"2h\",\"reason\":\"ticket 8\"}");

            String body = clients.get(ENDPOINT + "reports").body();
            assertThat(JsonPath.<String>read(body, "$.sources.limit.from"))
                    .startsWith("limit of change 2 by anonymous at 20")
                    .endsWith(", because \"ticket 8\"");
            assertThat(JsonPath.<String>read(body, "$.sources.window.from"))
                    .startsWith("window of change 2 by anonymous at 20");
            assertThat(JsonPath.<Map<String, Object>>read(body, "$.change"))
                    .containsOnlyKeys("limit", "window", "version", "at", "by", "reason")
                    .containsAllEntriesOf(
                            Map.of("limit", 40, "window", "2h", "version", 2, "by", "anonymous", "reason", "ticket 8"));
            assertThat(JsonPath.<Map<String, Object>>read(body, "$.cap"))
                    .isEqualTo(Map.of("limit", 50, "window", "PT1H", "from", "limiter.caps.Reports"));

            clients.send("DELETE", ENDPOINT + "reports");
            assertThat(JsonPath.<Map<String, Object>>read(
                            clients.get(ENDPOINT + "reports").body(), "$"))
                    .containsKey("cap")
                    .doesNotContainKey("change");
        }
    }

    @Test
    void firstChangeOfAMethodIsAnsweredAsTheSecond() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            String change = "{\"key\":\"\",\"limit\":40,\"until\":\"2h\"}";
            for (int i = 0; i < 2; i++) {
                String answer = clients.post(ENDPOINT + "reports", change).body();
                assertThat(JsonPath.<List<Integer>>read(answer, "$.buckets[*].limits[*].limit"))
                        .containsExactly(40);
            }
        }
    }

    @Test
    void ofNamedLimitsTiersAndBansAreTold() {
        try (ConfigurableApplicationContext application = start(
                "limiter.mode=shadow",
                "limiter.rules.orders.paths=/orders",
                "limiter.rules.orders.key=ip",
                "limiter.rules.orders.mode=enforce",
                "limiter.rules.orders.limits.short.limit=5",
                "limiter.rules.orders.limits.short.window=1s",
                "limiter.rules.orders.limits.long.limit=50",
                "limiter.rules.orders.limits.long.window=1h",
                "limiter.rules.orders.tier-by=header:X-Plan",
                "limiter.rules.orders.tiers.gold.limits.short.limit=9",
                "limiter.rules.orders.ban.after=3",
                "limiter.rules.orders.ban.within=1m",
                "limiter.rules.orders.ban.for=1h")) {
            String body =
                    Applications.clientsOf(application).get(ENDPOINT + "orders").body();

            assertThat(JsonPath.<String>read(body, "$.sources['limits.short.limit'].value"))
                    .isEqualTo("5");
            assertThat(JsonPath.<String>read(body, "$.sources['tiers.gold.limits.short.limit'].value"))
                    .isEqualTo("9");
            assertThat(JsonPath.<String>read(body, "$.sources['tier-by'].from")).contains("tier-by");
            assertThat(JsonPath.<String>read(body, "$.sources['ban.for'].value"))
                    .isEqualTo("1h");
            assertThat(JsonPath.<String>read(body, "$.sources.mode.value")).isEqualTo("shadow");
            assertThat(JsonPath.<String>read(body, "$.sources.mode.from")).contains("limiter.mode (");
            assertThat(JsonPath.<String>read(body, "$.sources.paths.from")).contains("limiter.rules.orders.paths (");
        }
    }

    private static ConfigurableApplicationContext start(String... properties) {
        String[] all = Stream.concat(
                        Stream.of(
                                "management.endpoints.web.exposure.include=limiter",
                                "management.endpoint.limiter.access=unrestricted",
                                "spring.application.name=shop"),
                        Stream.of(properties))
                .toArray(String[]::new);
        return Applications.start(Application.class, all);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Reports.class})
    static class Application {}

    @RestController
    static class Reports {

        @RateLimiter(name = "reports", limit = 10, window = "30d")
        @GetMapping("/monday")
        public String monday() {
            return "monday";
        }

        @GetMapping("/orders")
        String orders() {
            return "orders";
        }
    }
}
