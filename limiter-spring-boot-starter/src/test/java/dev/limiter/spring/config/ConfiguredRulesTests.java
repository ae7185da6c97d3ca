package dev.limiter.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.rule.BanOptions;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Settings have their source, and Actuator stays exempt wherever it is. */
class ConfiguredRulesTests {

    private final ConfigurableEnvironment environment = environment();

    private static ConfigurableEnvironment environment() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .forEach(source -> environment.getPropertySources().remove(source.getName()));
        return environment;
    }

    @Test
    void settingsHaveTheirOrigin() {
        RuleDefinition rule = configured(Map.of(
                        "limiter.rules.log-in.limit", "5",
                        "limiter.rules.log-in.window", "1m",
                        "limiter.rules.log-in.key", "ip",
                        "limiter.rules.log-in.ban.after", "3"))
                .with(List.of())
                .iterator()
                .next();
        assertThat(rule.name()).isEqualTo("log-in");
        assertThat(rule.origin()).hasToString("limiter.rules.log-in");
        assertThat(rule.limit().get(LimitOptions.LIMIT)).isEqualTo(new Setting<>(5L, "limiter.rules.log-in.limit"));
        assertThat(rule.get(RuleOptions.KEY)).isEqualTo(new Setting<>(List.of("ip"), "limiter.rules.log-in.key"));
        assertThat(rule.get(BanOptions.AFTER)).isEqualTo(new Setting<>(3L, "limiter.rules.log-in.ban.after"));
        assertThat(rule.limits()).isNull();
    }

    /** The exempt path of the Actuator endpoints follows the configuration of the application. */
    @ParameterizedTest
    @CsvSource({
        ", , /actuator/**",
        "/manage, , /manage/**",
        "/manage/, , /manage/**",
        "/, , /actuator/**",
        "/manage, 8081, /actuator/**"
    })
    void excludedPathOfActuatorFollowsItsBase(@Nullable String base, @Nullable String port, String excluded) {
        add("management", properties("management.endpoints.web.base-path", base, "management.server.port", port));
        assertThat(configured(Map.of("limiter.web.exclude", "/actuator/**, /health"))
                        .excluded())
                .isEqualTo(new Setting<>(List.of(excluded, "/health"), "limiter.web.exclude"));
    }

    private static Map<String, Object> properties(
            String one, @Nullable String value, String other, @Nullable String last) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(one, value);
        properties.put(other, last);
        properties.values().removeIf(Objects::isNull);
        return properties;
    }

    private ConfiguredRules configured(Map<String, Object> properties) {
        add("test" + environment.getPropertySources().size(), properties);
        ConfigurationPropertySources.attach(environment);
        return new ConfiguredRules(
                Binder.get(environment).bindOrCreate(LimiterProperties.PREFIX, LimiterProperties.class), environment);
    }

    private void add(String name, Map<String, Object> properties) {
        environment.getPropertySources().addLast(new MapPropertySource(name, properties));
    }
}
