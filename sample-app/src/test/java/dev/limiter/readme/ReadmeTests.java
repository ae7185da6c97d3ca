package dev.limiter.readme;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

/** What README.md shows compiles, and starts. */
class ReadmeTests {

    private static final Path README = Path.of("../README.md");
    private static final List<Path> EXAMPLES = List.of(
            Path.of("src/test/java/dev/limiter/readme/Examples.java"),
            Path.of("src/test/java/dev/limiter/sample/CheckoutLimitTests.java"));

    private final WebApplicationContextRunner context = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(limiterConfigurations()))
            .withUserConfiguration(LimiterBeans.class, Plans.class)
            .withPropertyValues("LIMITER_KEY_SECRET=a-random-text-of-ours");

    @ParameterizedTest
    @MethodSource("javaBlocks")
    void javaExampleIsCompiled(String example) {
        assertThat(EXAMPLES)
                .anySatisfy(file -> assertThat(oneLine(Files.readString(file))).contains(oneLine(example)));
    }

    @ParameterizedTest
    @MethodSource("yamlBlocks")
    void yamlExampleStarts(String example) {
        context.withInitializer(application -> add(example, application.getEnvironment()))
                .run(application -> assertThat(application).hasNotFailed());
    }

    @Test
    void yamlExampleWithAnUnknownKeyWouldNotStart() {
        context.withInitializer(application -> add("limiter:\n  no-such-key: 1\n", application.getEnvironment()))
                .run(application -> assertThat(application).hasFailed());
    }

    @Test
    void annotatedExamplesStart() {
        context.withUserConfiguration(
                        HelloController.class, CartService.class, CatalogService.class, AccountService.class)
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    CartService carts = application.getBean(CartService.class);
                    List<Item> twelve =
                            Stream.generate(() -> new Item("tea")).limit(12).toList();
                    assertThat(carts.order(new User(1, false), twelve)).isEqualTo("ordered");
                    assertThat(carts.order(new User(1, false), twelve)).isEqualTo("come back in PT0.4S");
                    assertThat(carts.order(new User(2, false), twelve)).isEqualTo("ordered");
                    assertThat(carts.order(new User(1, true), twelve)).isEqualTo("ordered");
                    AccountService accounts = application.getBean(AccountService.class);
                    for (int i = 0; i < 10; i++) {
                        assertThat(accounts.login("ann", "secret")).isTrue();
                        assertThat(accounts.export("ann").join()).isEqualTo("exported ann");
                    }
                    for (int i = 0; i < 5; i++) {
                        assertThat(accounts.login("ann", "guess")).isFalse();
                    }
                    assertThatThrownBy(() -> accounts.login("ann", "secret"))
                            .isInstanceOf(RateLimitExceededException.class);
                    assertThatThrownBy(() -> accounts.export("ann")).isInstanceOf(RateLimitExceededException.class);
                });
    }

    @Test
    void exampleWithoutSpringRuns() {
        // on a slow machine, all five are back by then
        assertThat(new WithoutSpring().example()).matches("true, then (19[5-9]|200) left");
    }

    static Stream<String> javaBlocks() {
        return blocks("java");
    }

    static Stream<String> yamlBlocks() {
        return blocks("yaml");
    }

    private static Stream<String> blocks(String language) {
        try {
            return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                    .matcher(Files.readString(README))
                    .results()
                    .map(MatchResult::group)
                    .map(block -> block.substring(block.indexOf('\n') + 1, block.length() - 3));
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    private static String oneLine(String code) {
        return code.replaceAll("\\s+", " ").strip();
    }

    private static void add(String yaml, ConfigurableEnvironment environment) {
        try {
            new YamlPropertySourceLoader()
                    .load("README.md", new ByteArrayResource(yaml.getBytes(UTF_8)))
                    .forEach(environment.getPropertySources()::addFirst);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    /** Those of Limiter, and those it needs to limit methods, and in Redis. */
    private static Class<?>[] limiterConfigurations() {
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, ReadmeTests.class.getClassLoader())
                                .spliterator(),
                        false)
                .filter(name -> name.startsWith("dev.limiter.")
                        || name.endsWith(".AopAutoConfiguration")
                        || name.endsWith(".DataRedisAutoConfiguration"))
                .map(name -> ClassUtils.resolveClassName(name, ReadmeTests.class.getClassLoader()))
                .toArray(Class<?>[]::new);
    }
}
