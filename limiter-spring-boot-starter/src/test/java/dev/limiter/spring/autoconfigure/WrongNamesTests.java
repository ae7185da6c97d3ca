package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ByteArrayResource;

/** Wrong property names, with the message for each. */
class WrongNamesTests {

    private static final String RULE = "limiter.rules.orders: { paths: /a, limit: 5, window: 1s, key: ip, ";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(LimiterAutoConfiguration.class, LimiterRulesAutoConfiguration.class));

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            limiter.rulez.orders.limit: 1             | limiter.rulez           | Did you mean rules?
            limiter.rule.orders.limit: 1              | limiter.rule            | Did you mean rules?
            limiter.stroage: redis                    | limiter.stroage         | Did you mean storage?
            limiter.cap.orders: { limit: 1 }          | limiter.cap             | Did you mean caps?
            limiter.rules-fil: /etc/limits.yml        | limiter.rules-fil       | Did you mean rules-file?
            limiter.web.statuz: 503                   | limiter.web.statuz      | Did you mean status?
            limiter.web.trustedProxy: 10.0.0.0/8      | limiter.web.trustedproxy | Did you mean trusted-proxies?
            limiter.redis.on-fail: allow              | limiter.redis.on-fail   | Did you mean on-failure?
            limiter.web.default-limit: { limt: 5 }    | limiter.web.default-limit.limt | Did you mean limit?
            RULE path: /b }                           | limiter.rules.orders.path | Did you mean paths?
            RULE method: GET }                        | limiter.rules.orders.method | Did you mean methods?
            RULE algoritm: fixed-window }             | limiter.rules.orders.algoritm | Did you mean algorithm?
            RULE windows: 1m }                        | limiter.rules.orders.windows | Did you mean window?
            RULE wait: 1s }                           | limiter.rules.orders.wait | This key is unknown.
            RULE conditions: '#{true}' }              | limiter.rules.orders.conditions | Did you mean condition?
            RULE charge: failed }                     | limiter.rules.orders.charge | Did you mean charge-if?
            RULE rollouts: 10% }                      | limiter.rules.orders.rollouts | Did you mean rollout?
            RULE fallback: none }                     | limiter.rules.orders.fallback | This key is unknown.
            RULE tier: ip }                           | limiter.rules.orders.tier | Did you mean tiers?
            RULE tierby: ip }                         | limiter.rules.orders.tier-by | at least one tier
            RULE tier-by: ip, tiers: { gold: { unlimted: true } } } | limiter.rules.orders.tiers.gold.unlimted | Did you mean unlimited?
            RULE ban: { afer: 5 } }                   | limiter.rules.orders.ban.afer | Did you mean after?
            """)
    void areReportedWithTheNameThatIsMeant(String yaml, String where, String message) {
        runner.withInitializer(context -> load(yaml.replaceFirst("^RULE ", RULE), context.getEnvironment()))
                .run(context ->
                        assertThat(context.getStartupFailure()).rootCause().hasMessageContainingAll(where, message));
    }

    /** Spring Boot also accepts the spelling of annotations. */
    @ParameterizedTest
    @ValueSource(strings = {"maxWait: 1s", "chargeIf: failed", "limitResolver: '#{5}'", "maxWaiting: 5", "warm_up: 2s"})
    void wordsOfTheAnnotationAreAccepted(String setting) {
        runner.withInitializer(context -> load(RULE + setting + " }", context.getEnvironment()))
                .run(context -> assertThat(context).hasNotFailed());
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
