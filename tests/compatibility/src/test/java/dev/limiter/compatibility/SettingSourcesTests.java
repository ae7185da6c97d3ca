package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The endpoint shows the source of each setting of a rule. */
@Tag("each-line")
class SettingSourcesTests {

    @Test
    void areShownOfTheStrongestSource(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("rules.yml"), "limiter:\n  rules:\n    reports:\n      limit: 30\n      mode: shadow\n");
        try (ConfigurableApplicationContext application =
                start(Applications.limiter("""
                    rules:
                      reports:
                        { limit: 20, key: "header:X-Api-Key",
                          condition: "#{#request.getHeader('X-Secret') != 'sesame'}" }
                    """, "limiter.rules-file=" + file))) {
            Operator operator = Operator.of(application);
            operator.change("reports", "{'limit':40}");

            assertThat(source(operator, "reports", "limit.value")).isEqualTo("40");
            assertThat(source(operator, "reports", "limit.from")).startsWith("limit of change 1 by anonymous at 20");
            assertThat(source(operator, "reports", "mode.from")).contains("rules.yml] - 5:13");
            assertThat(source(operator, "reports", "window.from")).contains("window of @RateLimiter on");
            assertThat(operator.<Map<String, Object>>read("reports", "$.sources['condition']"))
                    .containsOnlyKeys("from");
            assertThat(operator.rule("reports")).doesNotContain("sesame");

            operator.revert("reports");
            Files.writeString(file, "limiter:\n  rules:\n    reports:\n      key: ip\n");
            operator.awaitRule("reports", "\"value\":\"[ip]\"");
            assertThat(source(operator, "reports", "limit.value")).isEqualTo("20");
            assertThat(source(operator, "reports", "limit.from"))
                    .contains("limiter.rules.reports.limit (", "limiter.rules.reports.limit\"");
            assertThat(source(operator, "reports", "key.from")).contains("rules.yml] - 4:12");
            assertThat(operator.<Map<String, Object>>read("reports", "$.sources"))
                    .doesNotContainKey("mode");
        }
    }

    @Test
    void changeIsShownWithItsAuthorAndTheCap() {
        try (ConfigurableApplicationContext application =
                start("limiter.caps.Reports.limit=50", "limiter.caps.Reports.window=1h")) {
            Operator operator = Operator.of(application);
            operator.change("reports", "{'limit':40,'reason':'ticket 7'}");
            operator.change("reports", "{'window':'2h','reason':'ticket 8'}");

            assertThat(source(operator, "reports", "limit.from"))
                    .startsWith("limit of change 2 by anonymous at 20")
                    .endsWith(", because \"ticket 8\"");
            assertThat(source(operator, "reports", "window.from")).startsWith("window of change 2 by anonymous at 20");
            assertThat(operator.<Map<String, Object>>read("reports", "$.change"))
                    .containsOnlyKeys("limit", "window", "version", "at", "by", "reason")
                    .containsAllEntriesOf(
                            Map.of("limit", 40, "window", "2h", "version", 2, "by", "anonymous", "reason", "ticket 8"));
            assertThat(operator.<Map<String, Object>>read("reports", "$.cap"))
                    .isEqualTo(Map.of("limit", 50, "window", "PT1H", "from", "limiter.caps.Reports"));

            operator.revert("reports");
            assertThat(operator.<Map<String, Object>>read("reports", "$"))
                    .containsKey("cap")
                    .doesNotContainKey("change");
        }
    }

    @Test
    void ofNamedLimitsTiersAndBansAreShown() {
        try (ConfigurableApplicationContext application = start(Applications.limiter("""
            mode: shadow
            rules:
              orders:
                { paths: /orders, key: ip, mode: enforce,
                  limits: { short: { limit: 5, window: 1s }, long: { limit: 50, window: 1h } },
                  tier-by: "header:X-Plan", tiers: { gold: { limits: { short: { limit: 9 } } } },
                  ban: { after: 3, within: 1m, for: 1h } }
            """))) {
            Operator operator = Operator.of(application);
            assertThat(source(operator, "orders", "['limits.short.limit'].value"))
                    .isEqualTo("5");
            assertThat(source(operator, "orders", "['tiers.gold.limits.short.limit'].value"))
                    .isEqualTo("9");
            assertThat(source(operator, "orders", "['tier-by'].from")).contains("tier-by");
            assertThat(source(operator, "orders", "['ban.for'].value")).isEqualTo("1h");
            assertThat(source(operator, "orders", "mode.value")).isEqualTo("shadow");
            assertThat(source(operator, "orders", "mode.from")).contains("limiter.mode (");
            assertThat(source(operator, "orders", "paths.from")).contains("limiter.rules.orders.paths (");
        }
    }

    private static String source(Operator operator, String rule, String path) {
        return operator.read(rule, "$.sources" + (path.startsWith("[") ? path : "." + path));
    }

    private static ConfigurableApplicationContext start(String... properties) {
        return Operator.start(Application.class, properties);
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
