package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.limiter.spring.failure.LimiterConfigurationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** The rules file is found, read and validated before it replaces anything. */
class RulesFileTests {

    @TempDir
    private Path folder;

    private final StandardEnvironment environment = new StandardEnvironment();

    @ParameterizedTest
    @CsvSource({
        ",",
        "/etc/rules.yml, /etc/rules.yml",
        "' /etc/rules.yml ', /etc/rules.yml",
        "file:/etc/rules.yml, /etc/rules.yml",
        "' file:/etc/rules.yml ', /etc/rules.yml",
        "FILE:/etc/rules.yml, /etc/rules.yml",
        "file:///etc/rules.yml, /etc/rules.yml",
        "file:/etc/my%20rules.yml, /etc/my rules.yml",
        "file:/etc/my rules.yml, /etc/my rules.yml",
        "file:/etc/100%.yml, /etc/100%.yml",
        "/etc/my%20rules.yml, /etc/my%20rules.yml"
    })
    void isTheOneThatTheEnvironmentNames(@Nullable String property, @Nullable String file) {
        if (property != null) {
            put("limiter.rules-file", property);
        }
        assertThat(Objects.toString(RulesFile.of(environment), null)).isEqualTo(file);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "classpath:rules.yml",
                "classpath*:rules.yml",
                "https://example.org/rules.yml",
                "optional:file:/etc/rules.yml"
            })
    void otherLocationIsRejected(String property) {
        put("limiter.rules-file", property);
        assertThatExceptionOfType(LimiterConfigurationException.class)
                .isThrownBy(() -> RulesFile.of(environment))
                .withMessageContaining("limiter.rules-file")
                .withMessageContaining("Write a path such as");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "${none:}"})
    void emptyPropertyIsRejected(String property) {
        put("limiter.rules-file", property);
        assertThatExceptionOfType(LimiterConfigurationException.class)
                .isThrownBy(() -> RulesFile.of(environment))
                .withMessageContaining("limiter.rules-file")
                .withMessageContaining("It is empty.")
                .withMessageContaining("[LIM-503]");
    }

    @Test
    void impossiblePathIsRejected() {
        put("limiter.rules-file", "/etc/\0");
        assertThatExceptionOfType(LimiterConfigurationException.class)
                .isThrownBy(() -> RulesFile.of(environment))
                .withMessageContaining("not a valid path");
    }

    @ParameterizedTest
    @CsvSource({"0, true", "1, true", "1048576, true", "1048577, false"})
    void isReadCompletelyUpToTheMaximumSize(int size, boolean read) throws IOException {
        Path file = Files.write(folder.resolve("rules.yml"), new byte[size]);
        RulesFile rules = new RulesFile(file);
        if (read) {
            assertThat(rules.read()).hasSize(size);
        } else {
            assertThatExceptionOfType(LimiterConfigurationException.class)
                    .isThrownBy(rules::read)
                    .withMessageContaining("more than 1048576 bytes");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'limiter.rules.a.limit: 5', limiter.rules.a.limit, 5",
        "'limiter: { rules: { a: { limit: 5 } } }', limiter.rules.a.limit, 5",
        "'limiter.web.default-limit.limit: 5', limiter.web.default-limit.limit, 5",
        "'limiter.web.defaultLimit.limit: 5', limiter.web.defaultLimit.limit, 5",
        "'limiter.web.exclude: /a', limiter.web.exclude, /a",
        "'limiter.rules.a.limit: 5\n---\nlimiter.rules.a.limit: 6', limiter.rules.a.limit, 6"
    })
    void overridesOtherSources(String text, String property, String value) {
        put(property, "of before");
        putInto(text);
        assertThat(environment.getProperty(property)).isEqualTo(value);
    }

    @Test
    void replacesThePreviousContent() {
        assertThat(file().isIn(environment.getPropertySources())).isFalse();
        putInto("limiter.rules.a.limit: 5\n---\nlimiter.rules.b.limit: 5");
        assertThat(file().isIn(environment.getPropertySources())).isTrue();
        putInto("limiter.rules.c.limit: 7");
        assertThat(environment.getProperty("limiter.rules.a.limit")).isNull();
        assertThat(environment.getProperty("limiter.rules.b.limit")).isNull();
        assertThat(environment.getProperty("limiter.rules.c.limit")).isEqualTo("7");
    }

    @ParameterizedTest
    @CsvSource({
        "'', It is empty",
        "'# nothing', It is empty",
        "'limiter.rules:', It is empty",
        "'limiter: {', 'Invalid YAML: '",
        "'limiter.rules.a.limit: 5\n\tb: 6', 'in line 2, column 1'",
        "'limiter.mode: off', It contains limiter.mode",
        "'limiter.rulesets.a: 5', It contains limiter.rulesets.a",
        "'limiter.web.status: 503', It contains limiter.web.status",
        "'server.port: 80', It contains server.port",
        "'spring.config.import: /etc/passwd', It contains spring.config.import",
        "'hello', only limiter.rules",
        "'!!javax.script.ScriptEngineManager [x]', Global tag is not allowed",
        "'\u0000\u0001\u0002', 'Invalid YAML: '",
        "'limiter: { rules: { a: { limit: 5 }, a: { limit: 6 } } }', duplicate key",
        "'limiter: { rules: &a { orders: *a } }', too many values",
        "'{p1: 1, p2: 1, p3: 1, p4: 1, p5: 1, p6: 1, p7: 1, p8: 1, p9: 1, p10: 1, p11: 1, p12: 1}', It contains p11 and 1 more"
    })
    void invalidContentIsRejectedAndChangesNothing(String text, String reason) {
        putInto("limiter.rules.a.limit: 5");
        assertThatExceptionOfType(LimiterConfigurationException.class)
                .isThrownBy(() -> putInto(text))
                .withMessageContaining("limiter.rules-file")
                .withMessageContaining(reason);
        assertThat(environment.getProperty("limiter.rules.a.limit")).isEqualTo("5");
    }

    @Test
    void otherEncodingIsReported() {
        assertThatExceptionOfType(LimiterConfigurationException.class)
                .isThrownBy(() -> file().putInto(
                                environment.getPropertySources(),
                                "limiter.rules.ä.limit: 5".getBytes(StandardCharsets.ISO_8859_1)))
                .withMessageContaining("not encoded in UTF-8");
    }

    private RulesFile file() {
        return new RulesFile(folder.resolve("rules.yml"));
    }

    private void putInto(String text) {
        file().putInto(environment.getPropertySources(), text.getBytes(StandardCharsets.UTF_8));
    }

    private void put(String property, String value) {
        environment.getPropertySources().addFirst(new MapPropertySource("test", Map.of(property, value)));
    }
}
