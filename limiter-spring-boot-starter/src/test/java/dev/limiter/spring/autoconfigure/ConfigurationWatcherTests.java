package dev.limiter.spring.autoconfigure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.config.BindProblemCollector;
import dev.limiter.spring.operate.ChangeStore;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.rule.RuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Invalid or half-written files change no rules. Calls each check of the file directly, without a thread. */
@ExtendWith(OutputCaptureExtension.class)
class ConfigurationWatcherTests {

    /** Checks of an unchanged file until the next retry. */
    private static final int LOOKS = 40;

    @TempDir
    private Path folder;

    private final LiveRules rules = TestRules.live(ChangeStore.MEMORY, () -> 0);
    private final Map<String, Object> properties = new HashMap<>();
    private final StandardEnvironment environment = new StandardEnvironment();
    private final List<RuleDefinition> others = new ArrayList<>();
    private @Nullable RuntimeException failure;
    private int reports;
    private Path file;
    private ConfigurationWatcher watcher;

    @BeforeEach
    void watch() {
        file = folder.resolve("rules.yml");
        properties.put("limiter.rules-file", file.toString());
        environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
        watcher = new ConfigurationWatcher(
                rules, List.of(new BindProblemCollector()), environment, this::others, () -> reports++);
    }

    private List<RuleDefinition> others() {
        if (failure != null) {
            throw failure;
        }
        return others;
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.rules.a.limit, 0, 'limiter.rules.a.limit = \"0\"'",
        "limiter.rules.a.limit, many, limiter.rules.a.limit",
        "limiter.rules.a.window, 0s, limiter.rules.a.window"
    })
    void invalidRulesChangeNothingAndAreReportedOnce(
            String property, String value, String told, CapturedOutput output) {
        configure("a", "5");
        watcher.environmentChanged();
        properties.put(property, value);
        watcher.environmentChanged();
        watcher.environmentChanged();
        assertThat(limits()).containsExactly("a 5");
        assertThat(rules.problem())
                .hasValueSatisfying(problem -> assertThat(problem).contains(told));
        assertThat(output).containsOnlyOnce("the previous rules stay in force");
        assertThat(reports).isEqualTo(1);
    }

    @Test
    void sourceThatFailsChangesNothing() {
        configure("a", "5");
        failure = new IllegalStateException("not now");
        watcher.environmentChanged();
        assertThat(limits()).isEmpty();
        assertThat(rules.problem())
                .hasValueSatisfying(problem -> assertThat(problem).contains("A source of rules failed", "not now"));
    }

    @Test
    void failureDuringShutdownIsNotReported(CapturedOutput output) {
        configure("a", "5");
        watcher.environmentChanged();
        watcher.stop();
        failure = new IllegalStateException("the context is closed");
        watcher.environmentChanged();
        assertThat(rules.problem()).isEmpty();
        assertThat(output).doesNotContain("the previous rules stay in force");
    }

    @Test
    void fileThatIsBeingWrittenIsNotRead() throws IOException {
        write("limiter.rules.a: { limit: 5, window: 1m }");
        watcher.look();
        assertThat(limits()).isEmpty();
        write("limiter.rules.a: { limit: 50, window: 1m }");
        watcher.look();
        assertThat(limits()).isEmpty();
        watcher.look();
        assertThat(limits()).containsExactly("a 50");
        assertThat(environment.getProperty("limiter.rules.a.limit")).isEqualTo("50");
    }

    @Test
    void invalidFileIsNotAddedToTheEnvironment() throws IOException {
        reloaded("limiter.rules.a: { limit: 5, window: 1m }");
        reloaded("limiter.rules.a: { limit: none, window: 1m }");
        assertThat(limits()).containsExactly("a 5");
        assertThat(environment.getProperty("limiter.rules.a.limit")).isEqualTo("5");
        assertThat(rules.problem()).isPresent();

        reloaded("limiter.rules.a: { limit: 6, window: 1m }");
        assertThat(limits()).containsExactly("a 6");
        assertThat(rules.problem()).isEmpty();
    }

    @Test
    void isTriedAgainEveryFewSeconds() throws IOException {
        failure = new IllegalStateException("not now");
        reloaded("limiter.rules.a: { limit: 5, window: 1m }");
        failure = null;
        for (int look = 1; look < LOOKS; look++) {
            watcher.look();
            assertThat(limits()).isEmpty();
        }
        watcher.look();
        assertThat(limits()).containsExactly("a 5");
    }

    private void configure(String rule, String limit) {
        properties.put("limiter.rules." + rule + ".limit", limit);
        properties.put("limiter.rules." + rule + ".window", "1m");
    }

    /** Checks twice, after which the file is reloaded. */
    private void reloaded(String text) throws IOException {
        write(text);
        watcher.look();
        watcher.look();
    }

    private void write(String text) throws IOException {
        Files.write(file, text.getBytes(UTF_8));
    }

    private List<String> limits() {
        return rules.all().stream()
                .sorted(Comparator.comparing(RateLimitRule::name))
                .map(rule -> rule.name() + " " + rule.rule().limits().get(0).limit())
                .toList();
    }
}
