package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Limit;
import dev.limiter.spring.address.AddressRanges;
import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleSource;
import dev.limiter.spring.rule.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.server.PathContainer;

/** Rules are bound from yml, variables and sources, under the names that people write. */
class LimiterRulesAutoConfigurationTests {

    private static final RuleDefinition MORE = RuleDefinition.named("more").limit(5, "1s");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LimiterRulesAutoConfiguration.class));

    @Test
    void withoutConfigurationNothingIsLimited() {
        runner.run(context -> {
            LimiterSettings settings = context.getBean(LimiterSettings.class);
            assertThat(settings.mode()).isEqualTo(Mode.ENFORCE);
            assertThat(settings.maxKeys()).isEqualTo(100_000);
            assertThat(settings.web())
                    .isEqualTo(new LimiterSettings.Web(
                            true,
                            false,
                            HeaderStyle.IETF,
                            Duration.ZERO,
                            429,
                            AddressSettings.DEFAULT,
                            AddressRanges.NONE,
                            AddressRanges.NONE));
            RuleSet rules = context.getBean(Rules.class).current();
            assertThat(rules.rules()).isEmpty();
            assertThat(rules.defaultLimit()).isEmpty();
            assertThat(rules.excludes("", PathContainer.parsePath("/actuator/health")))
                    .isTrue();
            assertThat(rules.excludes("/error", PathContainer.parsePath("/error")))
                    .isTrue();
            assertThat(rules.excludes("/orders", PathContainer.parsePath("/orders")))
                    .isFalse();
        });
    }

    @Test
    void bindsEveryKey() {
        yaml("""
                limiter:
                  enabled: true
                  storage: memory
                  mode: ENFORCE
                  max-keys: 50
                  web:
                    enabled: true
                    default-limit: { limit: 100, window: 1s, algorithm: TOKEN_BUCKET, burst: 200, key: ip, cost: 1,
                                     mode: shadow, headers: none, condition: "false" }
                    exclude: [/health]
                    static-resources: true
                    headers: both
                    retry-after-jitter: 2s
                    status: 503
                  rules:
                    orders:
                      paths: ["/api/orders/**", /x]
                      methods: [get, POST]
                      scope: endpoint
                      key: principal|ip, header:X-Api-Key
                      cost: 2
                      limits:
                        burst:  { limit: 10,   window: 1s, algorithm: sliding-window-counter, buckets: 5 }
                        hourly: { limit: 1000, window: 1h, algorithm: fixed-window }
                      mode: shadow
                      headers: legacy
                      condition: "#{!#request.isUserInRole('INTERNAL')}"
                """, rules -> {
            RateLimitRule orders = rules.find("orders").orElseThrow();
            assertThat(orders.rule().limits())
                    .containsExactly(
                            Limit.slidingWindowCounter(10, Duration.ofSeconds(1))
                                    .buckets(5)
                                    .named("burst"),
                            Limit.fixedWindow(1000, Duration.ofHours(1)).named("hourly"));
            assertThat(orders.scope()).isEqualTo(Scope.ENDPOINT);
            assertThat(orders.mode()).isEqualTo(Mode.SHADOW);
            assertThat(orders.headers()).isEqualTo(HeaderStyle.LEGACY);
            assertThat(orders.origin()).isEqualTo("limiter.rules.orders");
            assertThat(orders.matcher().matches("GET", "/x", PathContainer.parsePath("/x")))
                    .isTrue();
            assertThat(orders.matcher().matches("PUT", "/x", PathContainer.parsePath("/x")))
                    .isFalse();
            RateLimitRule automatic = rules.defaultLimit().orElseThrow();
            assertThat(automatic.name()).isEqualTo("default");
            assertThat(automatic.scope()).isEqualTo(Scope.ENDPOINT);
            assertThat(automatic.rule().limits())
                    .containsExactly(
                            Limit.tokenBucket(100, Duration.ofSeconds(1)).burst(200));
        });
    }

    @Test
    void limitsMayBeAList() {
        yaml(
                """
                limiter:
                  web.default-limit.limits: [{ limit: 3, window: 1s }]
                  rules:
                    orders:
                      paths: /a
                      limits:
                        - { limit: 10, window: 1s }
                        - { limit: 100, window: 1h }
                      tier-by: "#{'gold'}"
                      tiers:
                        gold:
                          limits:
                            - { limit: 20 }
                            - { limit: 200 }
                """,
                rules -> assertThat(rules.find("orders").orElseThrow().rule().policies())
                        .containsExactly("orders-0", "orders-1"));
    }

    @Test
    void candidateWithoutANameChangesTheFirstLimit() {
        yaml(
                """
                limiter.rules.orders:
                  limits: { burst: { limit: 10, window: 1s }, hourly: { limit: 1000, window: 1h } }
                  candidate: { limit: 50 }
                """,
                rules -> assertThat(rules.find("orders-candidate")
                                .orElseThrow()
                                .rule()
                                .limits())
                        .extracting(Limit::limit)
                        .containsExactly(50L, 1000L));
    }

    @Test
    void offIsNotTheBooleanThatYamlTakesItFor() {
        yaml(
                "limiter.rules.orders: { limit: 1, window: 1s, mode: off }",
                rules -> assertThat(rules.find("orders").orElseThrow().mode()).isEqualTo(Mode.OFF));
    }

    @ParameterizedTest
    @ValueSource(strings = {"my-rule", "my_rule", "myRule", "MYRULE", "myrule"})
    void namesAreTheSameButForCaseDashesAndUnderscores(String name) {
        yaml(
                "limiter.rules.my-Rule: { limit: 1, window: 1s }",
                rules -> assertThat(rules.find(name)).isPresent().get().returns("my-Rule", RateLimitRule::name));
    }

    @Test
    void environmentVariableOverridesTheNamedLimitOfThatName() {
        withEnvironment(
                Map.of(
                        "LIMITER_RULES_API_LIMITS_PERSEC_LIMIT",
                        "9",
                        "LIMITER_RULES_API_TIERS_GOLD_LIMITS_PERDAY_LIMIT",
                        "7"),
                """
                limiter.rules.api:
                  limits:
                    per-sec: { limit: 1, window: 1s, algorithm: fixed-window }
                    per-day: { limit: 2, window: 1d, algorithm: fixed-window }
                  tier-by: ip
                  tiers: { gold: { limits: { per-sec: { limit: 3 }, per_day: { limit: 4 } } } }
                """,
                rule -> {
                    assertThat(rule.rule().limits())
                            .containsExactly(
                                    Limit.fixedWindow(9, Duration.ofSeconds(1)).named("per-sec"),
                                    Limit.fixedWindow(2, Duration.ofDays(1)).named("per-day"));
                    assertThat(rule.tiers().get("gold").limits())
                            .containsExactly(
                                    Limit.fixedWindow(3, Duration.ofSeconds(1)).named("per-sec"),
                                    Limit.fixedWindow(7, Duration.ofDays(1)).named("per-day"));
                });
    }

    private void withEnvironment(Map<String, Object> variables, String yaml, Consumer<RateLimitRule> assertions) {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables)))
                .withInitializer(
                        context -> context.getEnvironment().getPropertySources().addLast(yaml(yaml)))
                .run(context -> assertThat(
                                context.getBean(Rules.class).current().rules())
                        .singleElement()
                        .satisfies(assertions));
    }

    @Test
    void ruleWithoutLimitIsKeptForAnAnnotationToComplete() {
        yaml("limiter.rules.orders.mode: shadow", rules -> {
            assertThat(rules.find("orders")).isEmpty();
            assertThat(rules.definition("Orders")).isPresent();
        });
    }

    @Test
    void rulesOfSourcesFollowThoseOfTheConfiguration() {
        runner.withBean(RuleSource.class, () -> () -> List.of(MORE))
                .withPropertyValues("limiter.rules.orders.limit=1", "limiter.rules.orders.window=1s")
                .run(context -> assertThat(
                                context.getBean(Rules.class).current().rules())
                        .extracting(RateLimitRule::name)
                        .containsExactly("orders", "more"));
    }

    @Test
    void refreshOfAnUnchangedConfigurationChangesNoRule() {
        runner.withConfiguration(
                        AutoConfigurations.of(LimiterAutoConfiguration.class, LimiterChangesAutoConfiguration.class))
                .withBean(RuleSource.class, () -> () -> List.of(MORE))
                .withPropertyValues("limiter.rules.orders.limit=1", "limiter.rules.orders.window=1s")
                .run(context -> {
                    RuleSet before = context.getBean(Rules.class).current();
                    context.publishEvent(new EnvironmentChangeEvent(this));
                    assertThat(context.getBean(Rules.class).current()).isSameAs(before);
                });
    }

    @Test
    void sameNameFromTwoSourcesStopsTheStart() {
        runner.withBean(
                        "partners",
                        RuleSource.class,
                        () -> () -> List.of(RuleDefinition.named("oRDERS").limit(5, "1s")))
                .withPropertyValues("limiter.rules.orders.limit=1", "limiter.rules.orders.window=1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContaining("the RuleSource bean partners")
                        .hasMessageContaining("limiter.rules.orders"));
    }

    static Stream<Arguments> badSources() {
        return Stream.of(
                arguments((RuleSource) () -> List.of(RuleDefinition.named(null)), "LIM-103", "rule \"null\""),
                arguments((RuleSource) () -> List.of(RuleDefinition.named("A b")), "LIM-103", "rule \"A b\""),
                arguments(
                        (RuleSource) () -> List.of(MORE.limit(Limit.tokenBucket(0, Duration.ofSeconds(1)))),
                        "LIM-211",
                        "Creating its rules failed: "),
                arguments((RuleSource) () -> List.of(MORE.limit(0, "1s")), "LIM-107", "rule \"more\""));
    }

    @ParameterizedTest
    @MethodSource("badSources")
    void invalidRulesOfASourceNameItsBean(RuleSource source, String code, String text) {
        runner.withBean("partners", RuleSource.class, () -> source)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("the RuleSource bean partners")
                        .hasStackTraceContaining(code)
                        .hasStackTraceContaining(text));
    }

    private void yaml(String text, Consumer<RuleSet> check) {
        runner.withInitializer(
                        context -> context.getEnvironment().getPropertySources().addFirst(yaml(text)))
                .run(context -> check.accept(context.getBean(Rules.class).current()));
    }

    private static PropertySource<?> yaml(String text) {
        try {
            return new YamlPropertySourceLoader()
                    .load("test", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                    .get(0);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }
}
