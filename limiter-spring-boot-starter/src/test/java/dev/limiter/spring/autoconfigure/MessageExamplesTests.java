package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.Limiter;
import dev.limiter.spring.failure.MessageCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The wrong and right examples of docs/reference/messages.md. ReadmeTests start all right ones. */
@ExtendWith(OutputCaptureExtension.class)
class MessageExamplesTests {

    private static final Path PAGE = Path.of("../docs/reference/messages.md");
    private static final Pattern FENCE = Pattern.compile("```(\\w+)\\n(.*?)```", Pattern.DOTALL);

    /** Mistakes in code, in the class path, in a file or in a request, for which a property is not an example. */
    private static final Set<MessageCode> NOT_IN_YAML = Set.of(
            MessageCode.UNKNOWN_RULE,
            MessageCode.ALGORITHM_MISSING,
            MessageCode.FALLBACK,
            MessageCode.REDIS_MISSING,
            MessageCode.DASHBOARD,
            MessageCode.CHANGE,
            MessageCode.RULES_FILE);

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class))
            .withConfiguration(AutoConfigurations.of(LimiterChangesAutoConfiguration.class))
            .withConfiguration(Limiter.autoConfigurations())
            .withBean(Orders.class);

    private final WebApplicationContextRunner onlyRules = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LimiterRulesAutoConfiguration.class));

    /** The examples of a code; null if there are none. */
    record Entry(MessageCode code, String wrong, String right) {

        boolean isFinding() {
            return code.code().startsWith("LIM-9");
        }

        @Override
        public String toString() {
            return code.code();
        }
    }

    static Stream<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (String section : Files.readString(PAGE).split("\n### ")) {
            Arrays.stream(MessageCode.values())
                    .filter(code -> section.startsWith(code.code() + "\n"))
                    .forEach(code -> entries.add(new Entry(code, block("yml", section), block("yaml", section))));
        }
        return entries.stream();
    }

    private static String block(String language, String section) {
        return FENCE.matcher(section)
                .results()
                .filter(fence -> fence.group(1).equals(language))
                .map((MatchResult fence) -> fence.group(2))
                .findFirst()
                .orElse(null);
    }

    static Stream<Entry> mistakes() throws IOException {
        return entries().filter(entry -> !entry.isFinding());
    }

    static Stream<Entry> findings() throws IOException {
        return entries().filter(entry -> entry.isFinding() && entry.wrong() != null);
    }

    @ParameterizedTest
    @MethodSource("entries")
    void entryHasBothExamplesOrNone(Entry entry) {
        assertThat(entry.wrong() == null).isEqualTo(entry.right() == null);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void wrongExampleFailsWithTheCode(Entry entry) {
        if (NOT_IN_YAML.contains(entry.code())) {
            assertThat(entry.wrong()).isNull();
            return;
        }
        assertThat(entry.wrong()).isNotNull();
        start(
                entry.code() == MessageCode.REDIS_URL ? application : onlyRules,
                entry.wrong(),
                context -> assertThat(context).getFailure().hasStackTraceContaining("[" + entry.code() + "]"));
    }

    @ParameterizedTest
    @MethodSource("findings")
    void onlyTheWrongExampleIsFound(Entry entry, CapturedOutput output) {
        start(application, entry.right(), context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(entry.code().code());

        start(application, entry.wrong(), context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("[" + entry.code() + "]");
    }

    private static void start(
            WebApplicationContextRunner runner, String yaml, ContextConsumer<AssertableWebApplicationContext> check) {
        runner.withInitializer(
                        context -> context.getEnvironment().setConversionService(new ApplicationConversionService()))
                .withInitializer(context -> add(yaml, context.getEnvironment()))
                .run(check);
    }

    private static void add(String yaml, ConfigurableEnvironment environment) {
        try {
            new YamlPropertySourceLoader()
                    .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                    .forEach(environment.getPropertySources()::addFirst);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    @RestController
    static class Orders {

        @GetMapping("/orders/{id}")
        public String order() {
            return "order";
        }
    }
}
