package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Property names before 0.1, with the message for each. */
class RenamedKeysTests {

    private static final String RULE = "limiter.rules.orders: { paths: /a, limit: 5, window: 1s, key: ip, ";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(LimiterAutoConfiguration.class, LimiterRulesAutoConfiguration.class));

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            limiter.floors.orders: { limit: 1, window: 1s } | limiter.floors | Write caps.
            RULE enforce: 10% }                             | limiter.rules.orders.enforce is "10%" | Write rollout.
            RULE answer: server }                           | limiter.rules.orders.answer is "server" | Write status, with 429 for client or 503 for server.
            RULE skip-if: '#{true}' }                       | limiter.rules.orders.skip-if is "#{true}" | Write condition, which is true for the requests to limit
            RULE skipIf: '#{true}' }                        | limiter.rules.orders.skipif is "#{true}" | Write condition
            RULE tiers: { by: ip, gold: { limit: 9 } } }    | limiter.rules.orders.tiers.by is "ip" | Write tier-by, next to tiers.
            RULE tier-by: ip, tiers: { gold: unlimited } }  | limiter.rules.orders.tiers.gold is "unlimited" | Write { unlimited: true }.
            limiter.web.default-limit: { limit: 1, window: 1s, skip-if: '#{true}' } | limiter.web.default-limit.skip-if | Write condition
            limiter.web.defaultLimit: { limit: 1, window: 1s, enforce: 10% }        | limiter.web.defaultlimit.enforce | Write rollout.
            """)
    void areReportedWithTheNewName(String yaml, String where, String message) {
        runner.withInitializer(context -> load(yaml.replaceFirst("^RULE ", RULE), context.getEnvironment()))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContainingAll("LIM-101", where, message));
    }

    @Test
    void areReportedInVariables() {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "systemEnvironment",
                                Map.of("LIMITER_RULES_ORDERS_ENFORCE", "10%", "LIMITER_RULES_ORDERS_LIMIT", "5"))))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContainingAll("limiter.rules.orders.enforce", "Write rollout."));
    }

    private static void load(String yaml, ConfigurableEnvironment environment) {
        try {
            new YamlPropertySourceLoader()
                    .load("test.yml", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                    .forEach(environment.getPropertySources()::addFirst);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
