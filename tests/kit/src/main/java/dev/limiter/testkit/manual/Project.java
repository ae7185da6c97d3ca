package dev.limiter.testkit.manual;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.limiter.testkit.RedisServer;
import dev.limiter.testkit.manual.Transcript.Step;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** Builds and runs the application of a page, as its reader would. */
public final class Project implements AutoCloseable {

    private static final Pattern START =
            Pattern.compile("mvn -q spring-boot:run(?: -Dspring-boot\\.run\\.arguments=--server\\.port=(\\d+))?");
    private static final Pattern TEST = Pattern.compile("mvn test -Dtest=(\\w+)");

    private static final String CONFIGURATION = "spring.config.location";

    private final Path folder;
    private final String application;
    private final Map<String, ConfigurableApplicationContext> applications = new HashMap<>();
    private final Class<?> configuration;
    private final Map<String, String> servers = new HashMap<>();
    private final Transcript transcript = new Transcript(servers);
    private final List<URLClassLoader> loaders = new ArrayList<>();

    /**
     * @param application the name of the main class
     * @param configuration beans that each application has in addition
     */
    public Project(Path folder, String application, Class<?> configuration) {
        this.folder = folder;
        this.application = application;
        this.configuration = configuration;
    }

    @Override
    public void close() throws IOException {
        applications.values().forEach(ConfigurableApplicationContext::close);
        for (URLClassLoader loader : loaders) {
            loader.close();
        }
    }

    public void write(String file, String text) throws IOException {
        Path target = folder.resolve(file);
        Files.createDirectories(target.getParent());
        Files.writeString(target, text);
    }

    public void follow(Step step) throws Exception {
        Matcher start = START.matcher(step.command());
        Matcher test = TEST.matcher(step.command());
        if (start.matches()) {
            start(start.group(1) == null ? "8080" : start.group(1), "clock.slower=100");
        } else if (test.matches()) {
            assertThat(test(test.group(1))).containsAll(step.output());
        } else {
            transcript.replay(step);
        }
    }

    void start(String port, String... properties) throws Exception {
        stop(port);
        ClassLoader classes = compiled("src/main/java");
        List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--" + CONFIGURATION + "=" + location()));
        if (usesRedis()) {
            arguments.addAll(List.of("--" + RedisServer.shared().property(), "--limiter.redis.timeout=5s"));
        }
        ConfigurableApplicationContext context = with(
                classes,
                () -> new SpringApplicationBuilder(classes.loadClass(application), configuration)
                        .resourceLoader(new DefaultResourceLoader(classes))
                        .properties(properties)
                        .run(arguments.toArray(String[]::new)));
        applications.put(port, context);
        servers.put(
                "localhost:" + port, "127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    private void stop(String port) {
        ConfigurableApplicationContext running = applications.remove(port);
        if (running != null) {
            running.close();
        }
    }

    /** Returns a location that hides a configuration on the class path. */
    private String location() {
        return "optional:file:" + folder.resolve("src/main/resources") + "/";
    }

    private boolean usesRedis() throws IOException {
        Path file = folder.resolve("src/main/resources/application.yml");
        return Files.exists(file) && Files.readString(file).contains("storage: redis");
    }

    /** Runs a test and returns the last lines that Maven would print. */
    private List<String> test(String name) throws Exception {
        ClassLoader classes = compiled("src/main/java", "src/test/java");
        String type = application.substring(0, application.lastIndexOf('.') + 1) + name;
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        System.setProperty(CONFIGURATION, location());
        try {
            with(classes, () -> {
                LauncherFactory.create()
                        .execute(
                                LauncherDiscoveryRequestBuilder.request()
                                        .selectors(selectClass(classes.loadClass(type)))
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

    /** Runs a program with the class loader of the project. */
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

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList().stream();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    private ClassLoader compiled(String... folders) throws IOException {
        List<Path> sources =
                Stream.of(folders).map(folder::resolve).flatMap(Project::files).toList();
        Path classes = Files.createTempDirectory(folder, "classes");
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
        URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, Project.class.getClassLoader());
        loaders.add(loader);
        return loader;
    }
}
