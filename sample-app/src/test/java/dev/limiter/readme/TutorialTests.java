package dev.limiter.readme;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.readme.Manual.Block;
import dev.limiter.readme.Transcript.Step;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/**
 * Follows docs/getting-started.md from its first line to its last: writes the files that the page shows, compiles them,
 * starts the application, sends the requests, and compares the output. Nothing of the page is repeated here.
 */
class TutorialTests {

    static final Path PAGE = Manual.page("getting-started.md");

    /** The sentence before a file names it, and names it last. */
    private static final Pattern FILE = Pattern.compile("`(src/[^`]+)`");

    private static final Pattern START =
            Pattern.compile("mvn -q spring-boot:run(?: -Dspring-boot\\.run\\.arguments=--server\\.port=(\\d+))?");
    private static final Pattern TEST = Pattern.compile("mvn test -Dtest=(\\w+)");

    private static final String PACKAGE = "com.example.shop.";
    private static final String CONFIGURATION = "spring.config.location";

    @TempDir
    private Path project;

    private final Map<String, ConfigurableApplicationContext> applications = new HashMap<>();
    private final Map<String, String> servers = new HashMap<>();
    private final Transcript transcript = new Transcript(servers);
    private final List<URLClassLoader> loaders = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        applications.values().forEach(ConfigurableApplicationContext::close);
        for (URLClassLoader loader : loaders) {
            loader.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> eachStepDoesWhatThePageShows() {
        return Manual.blocks(PAGE).stream().flatMap(this::steps);
    }

    static boolean isFile(Block block) {
        return block.page().equals(PAGE) && file(block).isPresent();
    }

    private Stream<DynamicTest> steps(Block block) {
        if (block.language().equals("console")) {
            return Transcript.steps(block).stream()
                    .map(step -> DynamicTest.dynamicTest(block + ": " + step.command(), () -> follow(step)));
        }
        return file(block).stream()
                .map(file -> DynamicTest.dynamicTest(block + ": " + file, () -> write(file, block.text())));
    }

    private static Optional<String> file(Block block) {
        if (!block.language().equals("java") && !block.language().equals("yaml")) {
            return Optional.empty();
        }
        List<String> before =
                Manual.text(block.page()).lines().limit(block.line() - 1L).toList();
        String sentence = before.get(before.size() - 2);
        return FILE.matcher(sentence)
                .results()
                .map(MatchResult::group)
                .map(name -> name.replace("`", ""))
                .reduce((first, last) -> last);
    }

    private void write(String file, String text) throws IOException {
        Path target = project.resolve(file);
        Files.createDirectories(target.getParent());
        Files.writeString(target, text);
    }

    private void follow(Step step) throws Exception {
        Matcher start = START.matcher(step.command());
        Matcher test = TEST.matcher(step.command());
        if (start.matches()) {
            start(start.group(1) == null ? "8080" : start.group(1));
        } else if (test.matches()) {
            assertThat(test(test.group(1))).containsAll(step.answer());
        } else {
            transcript.replay(step);
        }
    }

    private void start(String port) throws Exception {
        stop(port);
        ClassLoader classes = compiled("src/main/java");
        List<String> arguments =
                new ArrayList<>(List.of("--server.port=0", "--" + CONFIGURATION + "=" + configuration()));
        boolean shared = usesRedis();
        if (shared) {
            arguments.addAll(List.of("--" + RedisServer.shared().property(), "--limiter.redis.timeout=5s"));
        }
        ConfigurableApplicationContext application = with(
                classes,
                () -> new SpringApplicationBuilder(
                                classes.loadClass(PACKAGE + "ShopApplication"), TranscriptTests.Clock.class)
                        .resourceLoader(new DefaultResourceLoader(classes))
                        .properties("clock.slower=100")
                        .run(arguments.toArray(String[]::new)));
        applications.put(port, application);
        servers.put(
                "localhost:" + port,
                "localhost:" + application.getEnvironment().getRequiredProperty("local.server.port"));
        if (shared) {
            awaitRedis(application.getBean(RateLimiters.class));
        }
    }

    private void stop(String port) {
        ConfigurableApplicationContext running = applications.remove(port);
        if (running != null) {
            running.close();
        }
    }

    private static void awaitRedis(RateLimiters limiters) {
        Rule any = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));
        Conditions.await(() -> limiters.tryAcquire(any, "key").onFailure().isEmpty());
    }

    /** The application has its own configuration, and not that of the sample on the class path. */
    private String configuration() {
        return "optional:file:" + project.resolve("src/main/resources") + "/";
    }

    private boolean usesRedis() throws IOException {
        Path file = project.resolve("src/main/resources/application.yml");
        return Files.exists(file) && Files.readString(file).contains("storage: redis");
    }

    /** Returns the last lines that Maven prints. */
    private List<String> test(String name) throws Exception {
        ClassLoader classes = compiled("src/main/java", "src/test/java");
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        System.setProperty(CONFIGURATION, configuration());
        try {
            with(classes, () -> {
                LauncherFactory.create()
                        .execute(
                                LauncherDiscoveryRequestBuilder.request()
                                        .selectors(selectClass(classes.loadClass(PACKAGE + name)))
                                        .build(),
                                listener);
                return null;
            });
        } finally {
            System.clearProperty(CONFIGURATION);
        }
        TestExecutionSummary summary = listener.getSummary();
        assertThat(summary.getFailures())
                .extracting(TestExecutionSummary.Failure::getException)
                .isEmpty();
        return List.of(
                "[INFO] Tests run: %d, Failures: %d, Errors: 0, Skipped: %d"
                        .formatted(
                                summary.getTestsFoundCount(),
                                summary.getTestsFailedCount(),
                                summary.getTestsSkippedCount()),
                "[INFO] BUILD SUCCESS");
    }

    /** Runs as a process of its own would, whose class path is that of the class loader. */
    private static <T> T with(ClassLoader classes, Callable<T> program) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(classes);
        try {
            return program.call();
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    private ClassLoader compiled(String... folders) throws IOException {
        List<Path> sources = Stream.of(folders)
                .map(project::resolve)
                .flatMap(folder -> Sources.files(folder).stream())
                .toList();
        Path classes = Files.createTempDirectory(project, "classes");
        StringWriter errors = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, UTF_8)) {
            List<String> options = List.of(
                    "-proc:none",
                    "-parameters",
                    "-classpath",
                    System.getProperty("java.class.path"),
                    "-d",
                    classes.toString());
            boolean compiles = compiler.getTask(
                            errors, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(compiles).as(errors.toString()).isTrue();
        }
        URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()}, TutorialTests.class.getClassLoader());
        loaders.add(loader);
        return loader;
    }
}
