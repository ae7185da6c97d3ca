package dev.limiter.readme;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.manual.Manual;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

/** Compiles and starts the examples of README.md and the manual, and checks links. */
class ReadmeTests {

    private static final Path CHANGELOG = Path.of("../CHANGELOG.md");
    private static final Path POM = Path.of("../pom.xml");
    private static final Pattern PROJECT_VERSION = Pattern.compile("^  <version>(.*)</version>$", Pattern.MULTILINE);
    /** The version in a dependency of Maven or Gradle. */
    private static final Pattern OUR_VERSION = Pattern.compile(
            "<artifactId>limiter-[a-z-]+</artifactId>\\s*<version>([^<]*)<|dev\\.limiter:limiter-[a-z-]+:([^\"'`\\s]*)");

    /** The imports at the top of an example. */
    private static final Pattern IMPORTS = Pattern.compile("\\G(?:import [^\\n]*;)?\\n");

    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#]*)(?:#([^)]*))?\\)");
    /** Runs the examples of docs/migration next to those of the other library. */
    private static final Path MIGRATION = Path.of("../benchmarks/src/test/java/dev/limiter/benchmarks/migration");

    /** The files that contain the Java examples of the manual. */
    static final List<Path> EXAMPLES = List.of(
            Path.of("src/test/java/dev/limiter/readme/Examples.java"),
            Path.of("src/test/java/dev/limiter/readme/BusinessDayTests.java"),
            Path.of("src/test/java/dev/limiter/sample/CheckoutLimitTests.java"),
            Path.of("src/test/java/dev/limiter/sample/TestClientLimitTests.java"),
            Path.of("src/test/java/dev/limiter/readme/Operators.java"),
            MIGRATION.resolve("MigrationTests.java"),
            MIGRATION.resolve("ResilienceOrders.java"),
            MIGRATION.resolve("LimiterOrders.java"));

    private final WebApplicationContextRunner context = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(limiterConfigurations()))
            .withUserConfiguration(LimiterBeans.class, Plans.class)
            .withPropertyValues("LIMITER_KEY_SECRET=a-random-text-of-ours", "LIMITS_PASSWORD=secret");

    @ParameterizedTest
    @MethodSource("javaBlocks")
    void javaExampleIsCompiled(String example) {
        String imports =
                IMPORTS.matcher(example).results().map(MatchResult::group).collect(Collectors.joining());
        String code = oneLine(example.substring(imports.length()));
        assertThat(EXAMPLES).anySatisfy(file -> {
            String source = Files.readString(file);
            assertThat(oneLine(source)).contains(code);
            assertThat(imports.lines()).allSatisfy(line -> assertThat(source).contains(line));
        });
    }

    @ParameterizedTest
    @MethodSource("yamlBlocks")
    void yamlExampleStarts(String example) {
        context.withInitializer(application ->
                        application.getEnvironment().setConversionService(new ApplicationConversionService()))
                .withInitializer(application -> add(example, application.getEnvironment()))
                .run(application -> assertThat(application).hasNotFailed());
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(Path page) {
        assertThat(LINK.matcher(Manual.text(page)).results().filter(link -> !leadsSomewhere(page, link)))
                .extracting(MatchResult::group)
                .isEmpty();
    }

    private static boolean leadsSomewhere(Path page, MatchResult link) {
        Path target = link.group(1).isEmpty()
                ? page
                : page.resolveSibling(link.group(1)).normalize();
        return Files.exists(target)
                && (link.group(2) == null
                        || headings(target).contains(link.group(2))
                        || Manual.text(target).contains("<a id=\"" + link.group(2) + "\">"));
    }

    /** Returns the anchors of the headings. */
    private static List<String> headings(Path page) {
        return Pattern.compile("^#+ (.*)$", Pattern.MULTILINE)
                .matcher(Manual.text(page))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w\\- ]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @Test
    void dependenciesHaveTheVersionOfTheProject() {
        String version = PROJECT_VERSION
                .matcher(Manual.text(POM))
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
        List<String> shown = pages().stream()
                .flatMap(page -> OUR_VERSION.matcher(Manual.text(page)).results())
                .map(dependency -> dependency.group(1) != null ? dependency.group(1) : dependency.group(2))
                .toList();
        assertThat(shown).isNotEmpty().containsOnly(version);
    }

    /** Covers paths in code spans as well as links. */
    @Test
    void changelogNamesPathsThatExist() {
        assertThat(Pattern.compile("`((?:docs|\\.ci)/[^`*<]*)`")
                        .matcher(Manual.text(CHANGELOG))
                        .results())
                .isNotEmpty()
                .allSatisfy(path ->
                        assertThat(CHANGELOG.resolveSibling(path.group(1))).exists());
        linksLeadSomewhere(CHANGELOG);
    }

    @Test
    void eachFolderOfTheManualIsInItsSidebar() throws IOException {
        String sidebar = Files.readString(Manual.page(".vitepress/config.mjs"));
        assertThat(pages().stream()
                        .filter(page -> page.startsWith(Manual.FOLDER))
                        .map(page -> Manual.FOLDER.relativize(page).getParent())
                        .map(folder -> folder == null ? "''" : "'" + folder + "/'")
                        .distinct())
                .allSatisfy(folder -> assertThat(sidebar).contains(folder));
    }

    @Test
    void eachChoiceIsInTheIndex() {
        Path folder = Manual.page("internals/decisions");
        String index = Manual.text(folder.resolve("README.md"));
        assertThat(pages().stream().filter(page -> page.startsWith(folder)).flatMap(page -> chapters(page).stream()))
                .isNotEmpty()
                .allSatisfy(chapter -> assertThat(index).contains(chapter));
    }

    private static List<String> chapters(Path page) {
        return Pattern.compile("^## (?!\\[)(.*)$", Pattern.MULTILINE)
                .matcher(Manual.text(page))
                .results()
                .map(chapter -> "- [" + chapter.group(1) + "](" + page.getFileName() + "#")
                .toList();
    }

    @Test
    void typesOfTheArchitectureExist() {
        String page = Manual.text(Manual.page("internals/architecture.md"));
        Set<String> elsewhere = Set.of("AsyncListener", "RateLimit");
        Set<String> types = Sources.in("src").stream()
                .map(source -> source.getFileName().toString())
                .filter(name -> name.endsWith(".java"))
                .map(name -> name.replace(".java", ""))
                .collect(Collectors.toSet());
        assertThat(Pattern.compile("`([A-Z][A-Za-z]+)`").matcher(page).results().map(name -> name.group(1)))
                .filteredOn(name -> !elsewhere.contains(name))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(types).contains(name));
    }

    @Test
    void readmeIsShort() {
        assertThat(Manual.text(Manual.README).lines().count()).isLessThanOrEqualTo(120);
    }

    @Test
    void exampleOfAStrategyDecides() {
        context.withUserConfiguration(BusinessDayStrategy.class).run(application -> {
            RateLimiters limiters = application.getBean(RateLimiters.class);
            // it is 08:00
            Rule daily = Rule.of("daily", Limit.fixedWindow(2, Duration.ofDays(1)));
            Decision first = limiters.tryAcquire(daily, "ann");
            assertThat(limiters.tryAcquire(daily, "ann").permitted()).isTrue();
            assertThat(limiters.tryAcquire(daily, "ann").retryAfter()).contains(Duration.ofHours(22));
            assertThat(limiters.tryAcquire(daily, "ann", 3).retryAfter()).isEmpty();
            first.giveBack();
            assertThat(limiters.tryAcquire(daily, "ann").permitted()).isTrue();
            Rule hourly = Rule.of("hourly", Limit.fixedWindow(1, Duration.ofHours(1)));
            assertThat(limiters.tryAcquire(hourly, "ann").permitted()).isTrue();
            assertThat(limiters.tryAcquire(hourly, "ann").retryAfter()).contains(Duration.ofHours(1));
        });
    }

    @Test
    void exampleOfAStrategyOutlivesDaysAndAClockThatStepsBack() {
        AtomicLong now = new AtomicLong(Duration.parse("P20000DT5H").toNanos());
        try (RateLimiters limiters = new RateLimiters(new InMemoryRateLimiterStorage(
                new RateLimiterFactory(List.of(new BusinessDayStrategy())), now::get, 10))) {
            Rule daily = Rule.of("daily", Limit.fixedWindow(1, Duration.ofDays(1)));
            assertThat(limiters.tryAcquire(daily, "ann").resetAfter()).isEqualTo(Duration.ofHours(1));
            now.addAndGet(Duration.ofHours(1).toNanos());
            assertThat(limiters.tryAcquire(daily, "ann").permitted()).isTrue();
            now.addAndGet(-Duration.ofDays(3).toNanos());
            assertThat(limiters.tryAcquire(daily, "ann").retryAfter()).contains(Duration.ofDays(1));
            now.addAndGet(Duration.ofDays(1).toNanos());
            assertThat(limiters.tryAcquire(daily, "ann").permitted()).isTrue();
        }
    }

    @Test
    void exampleWithoutSpringRuns() {
        // on a slow machine, all five permits are back by then
        assertThat(new WithoutSpring().example()).matches("true, then (19[5-9]|200) left");
    }

    /** Leaves out blocks that TutorialTests and GuideTests compile. */
    static Stream<String> javaBlocks() {
        return Manual.blocks("java")
                .filter(block -> !TutorialTests.isFile(block) && !GuideTests.isRun(block.page()))
                .map(Manual.Block::text);
    }

    static Stream<String> yamlBlocks() {
        return Manual.blocks("yaml").map(Manual.Block::text);
    }

    private static List<Path> pages() {
        return Manual.pages();
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

    /** Returns the auto-configurations of Limiter, and those for proxies and Redis. */
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
