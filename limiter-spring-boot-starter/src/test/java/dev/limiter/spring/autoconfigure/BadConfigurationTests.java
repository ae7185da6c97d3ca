package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.key.KeySource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;

/** The output of an application that fails at startup. */
@ExtendWith(OutputCaptureExtension.class)
class BadConfigurationTests {

    private static final String ORDERS = "limiter.rules.orders: { paths: /a, ";
    private static final String LINES =
            "limiter:\n  rules:\n    orders:\n      paths: /a\n      limit: 5\n      window: 1s\n      ";

    static Stream<String> badConfigurations() throws IOException {
        return new ClassPathResource("bad-configuration.txt")
                .getContentAsString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.startsWith("#"));
    }

    @ParameterizedTest
    @MethodSource("badConfigurations")
    void isReportedWithTheCorrection(String row, CapturedOutput output) {
        List<String> said = Arrays.asList(row.split(" \\| "));
        assertThat(catchThrowable(() -> start(yaml(said.get(0))))).isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "[test.yml] - ")
                .contains(said.subList(1, said.size()))
                .containsPattern("\\[LIM-[0-9]{3}]")
                .containsPattern("Action:\\s+LIM-[0-9]{3}: [A-Z]");
    }

    /** The format is described at the top of the table. */
    private static String yaml(String written) {
        if (written.startsWith("in Redis: ")) {
            return "limiter.storage: redis\n" + yaml(written.substring(10));
        }
        if (written.startsWith("+ ")) {
            return LINES + written.substring(2).replace(" ; ", "\n      ");
        }
        return written.contains("limiter") ? written.replace(" ; ", "\n") : ORDERS + written + " }";
    }

    private static String rule(String more) {
        return LINES + more;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // quoted names that YAML would read as true or false, and numbers
                "limiter.rules: { 'on': { limit: 1, window: 1s }, 'true': { limit: 1, window: 1s } }",
                "limiter.rules: { \"no\": { limit: 1, window: 1s }, y: { limit: 1, window: 1s } }",
                "limiter.rules: { 1: { limit: 5, window: 1s } }",
                "limiter.rules: { '0': { limit: 5, window: 1s } }",
                "limiter.rules: { 1: { limit: 5, window: 1s }, 2: { limit: 6, window: 1s } }",
                "limiter.rules.orders.limits: { 1: { limit: 1, window: 1s }, 60: { limit: 9, window: 1m } }",
                "limiter.rules.orders.limits: { 1: { limit: 1, window: 1s }, 2: { limit: 9, window: 1m } }",
                "limiter.rules.orders.limits: { 0: { limit: 1, window: 1s }, 60: { limit: 9, window: 1m } }",
                "limiter.rules.orders.limits: { '0': { limit: 1, window: 1s } }",
                "limiter.rules.orders: { limit: 1, window: 1s, tier-by: ip, tiers: { 1: { unlimited: true } } }",
                "limiter.rules.orders: { limit: 1, window: 1s, tier-by: ip, tiers: { '0': { limit: 9 }, 1: { limit: 8 } } }",
                // keys in brackets
                "'limiter[web][status]': 430",
                "'limiter.rules[1][limit]': 430\nlimiter.rules.1.window: 1m",
                "limiter.web.exclude: [/a, /b]\n---\nlimiter.web.exclude: /c",
                "limiter.web.exclude: /c\n---\nlimiter.web.exclude: [/a, /b]",
                // everything in a section is commented out
                "limiter:",
                "limiter.rules:",
                "limiter: { mode: shadow, rules: }",
                "limiter.web:",
                "limiter.caps:",
                "limiter.redis:",
                // a different spelling in another source
                "limiter: { max-keys: 5 }\n---\nlimiter: { maxKeys: 6 }",
                "limiter.redis.key-secret: 'abcdefghijklmnop\\${NOPE}'",
                // words that Spring Boot converts to a boolean
                "limiter: { enabled: '0', max-keys: 0 }",
                "limiter: { enabled: 'off', max-keys: 0 }",
                "limiter: { enabled: off, max-keys: 0 }",
            })
    void isNoMistake(String yaml) {
        start(yaml);
    }

    /** Platforms set their own variables. */
    @ParameterizedTest
    @CsvSource({
        "limiter.max-keys: 5, LIMITER_0, 5",
        "limiter.mode: shadow, LIMITER, off",
        "limiter.max-keys: 0, LIMITER_ENABLED, 0",
        "'limiter.rules.orders.limits: { ''0'': { limit: 1, window: 1s } }', LIMITER_RULES_ORDERS_LIMITS_0_LIMIT, 5"
    })
    void isNoMistakeWithAVariable(String yaml, String variable, String value) {
        start(yaml, Map.of(variable, value));
    }

    @Test
    void isReportedOnceWithItsOrigin(CapturedOutput output) {
        assertThat(catchThrowable(() -> start("""
                        limiter:
                          rules:
                            first: { limit: 1, window: 1s }
                            Second: { limit: 1, window: 1s }
                            thi-rd: { limit: 1, window: 1s }
                            thi_rd: { burst: 1 }
                        """))).isNotNull();
        assertThat(output.toString())
                .containsPattern("limiter\\.rules\\.Second \\(.*test.yml] - 4:")
                .containsPattern("limiter\\.rules\\.thi_rd \\(.*test.yml] - 6:")
                .containsOnlyOnce("limiter.rules.thi_rd (");
    }

    @Test
    void rulesWithSimilarNamesAreDistinct() {
        assertThat(catchThrowable(() -> start("limiter.rules: { für: { limit: 5, window: 1m }, fr: { limit: 6 } }")))
                .hasStackTraceContaining("limiter.rules.für: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"burst: ${QUOTA}", "mode: ${QUOTA}", "burst: ${NOPE:}", "buckets: ${NOPE:${QUOTA}}"})
    void emptyPlaceholderIsNoValue(String setting, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(rule(setting), Map.of("QUOTA", ""))))
                .isNotNull();
        assertThat(output)
                .contains("limiter.rules.orders." + setting.replace(": ", " = \"") + "\" (")
                .contains("The value is empty, or a placeholder resolved to nothing", "[LIM-102]");
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.rules.orders.limit, ${NOPE}, ${NOPE}",
        "limiter.rules.orders.mode, ${NOPE}, ${NOPE}",
        "limiter.rules.orders.window, ${NOPE}s, ${NOPE}",
        "limiter.rules.orders.paths, /orders/${NOPE}, ${NOPE}",
        "limiter.rules.orders.key, 'header:${NOPE},ip', ${NOPE}",
        "limiter.rules.orders.allow, ${NOPE}, ${NOPE}",
        "limiter.max-keys, ${NOPE:${NEITHER}}, ${NEITHER}",
        "limiter.redis.key-secret, ${THE_SECRET_OF_LIMITS}, ${THE_SECRET_OF_LIMITS}",
        "limiter.redis.key-prefix, 'shop:${spring.application.name}:', ${spring.application.name}",
        "limiter.redis.url, 'redis://a:secret@${NOPE}', ${NOPE}",
        "limiter.changes-file, ${NOPE}/changes, ${NOPE}"
    })
    void unresolvedPlaceholderIsReported(String property, String value, String told, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(rule("mode: enforce") + "\n" + property + ": '" + value + "'")))
                .isNotNull();
        assertThat(output).contains(property + " = \"" + told + "\" (", "The placeholder has no value", "[LIM-106]");
    }

    @ParameterizedTest
    @CsvSource({"web, status: 429", "redis, timeout: 50ms", "rules, a.limit: 1", "caps, a.limit: 1"})
    void valueInsteadOfKeysIsReportedEvenIfAnotherSourceHasKeys(String section, String key, CapturedOutput output) {
        String yaml = "limiter." + section + ": off\n---\nlimiter." + section + "." + key;
        assertThat(catchThrowable(() -> start(yaml))).isNotNull();
        assertThat(output).contains("\nlimiter." + section + " = \"false\" (", "[LIM-102]");
    }

    /** The initializer of the rules file reads the switch before beans exist. */
    @ParameterizedTest
    @CsvSource({"flase, flase, LIM-102", "${NOPE}, ${NOPE}, LIM-106", "0, 0, LIM-102"})
    void unreadableSwitchIsReported(String value, String told, String code, CapturedOutput output) {
        SpringApplication application = application();
        application.setDefaultProperties(Map.of("limiter.enabled", value.equals("0") ? (Object) 0 : value));
        assertThat(catchThrowable(application::run)).isNotNull();
        assertThat(output).contains("limiter.enabled = \"" + told + "\"", "[" + code + "]");
    }

    /** The variable overrides the file, so its value is not read. */
    @ParameterizedTest
    @CsvSource({
        "limiter.web.deny, LIMITER_WEB_DENY",
        "limiter.storage, LIMITER_STORAGE",
        "limiter.mode, LIMITER_MODE",
        "limiter.rules.api.limit, LIMITER_RULES_API_LIMIT",
        "limiter.rules.api.methods, LIMITER_RULES_API_METHODS",
    })
    void emptyEnvironmentVariableHidesNoValue(String key, String variable, CapturedOutput output) {
        String yaml = "limiter: { web: { deny: [192.0.2.7] }, rules: { api: { paths: /a, limit: 1, window: 1s } } }";
        assertThat(catchThrowable(() -> start(yaml, Map.of(variable, "")))).isNotNull();
        assertThat(output)
                .contains(key + " = \"\" (\"" + variable + "\" from", "The value is empty")
                .doesNotContain("unknown");
    }

    @Test
    void environmentVariableIsTheOriginInAnySpelling(CapturedOutput output) {
        assertThat(catchThrowable(() -> start(
                        "limiter.rules.my-rule.limits: { per-sec: { limit: 1, window: 1s } }",
                        Map.of("LIMITER_RULES_MYRULE_LIMITS_PERSEC_LIMIT", "-1"))))
                .isNotNull();
        assertThat(output.toString())
                .contains("limits.per-sec.limit = \"-1\" (\"LIMITER_RULES_MYRULE_LIMITS_PERSEC_LIMIT\" from")
                .containsOnlyOnce(" = \"-1\"");
    }

    /** Platforms set variables such as the first one for a service called limiter-web. */
    @Test
    void environmentVariableInsteadOfKeysIsReportedWithValueAndName(CapturedOutput output) {
        Map<String, Object> variables = Map.of("LIMITER_WEB_PORT", "tcp://192.0.2.7:80", "LIMITER_WEB", "x");
        assertThat(catchThrowable(() -> start("limiter.mode: shadow", variables)))
                .isNotNull();
        assertThat(output)
                .contains("limiter.web = \"x\" (\"LIMITER_WEB\" from")
                .contains("This must have keys of its own: enabled, ")
                .doesNotContain("LIMITER_WEB_PORT");
    }

    private static void start(String yaml) {
        start(yaml, Map.of());
    }

    private static void start(String yaml, Map<String, Object> variables) {
        SpringApplication application = application();
        application.addInitializers(context -> {
            try {
                new YamlPropertySourceLoader()
                        .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8), "test.yml"))
                        .forEach(context.getEnvironment().getPropertySources()::addFirst);
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables));
        });
        application.run().close();
    }

    private static SpringApplication application() {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        return application;
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(LimiterRulesAutoConfiguration.class)
    static class Application {

        @Bean
        KeyResolver tenant() {
            return context -> "acme";
        }

        @Bean
        KeySource claim() {
            return (name, context) -> name;
        }
    }
}
