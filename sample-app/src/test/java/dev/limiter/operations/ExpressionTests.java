package dev.limiter.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.sample.SampleApplication;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.Load;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Evaluates the expressions of the dashboard and the alerts in a Prometheus that scrapes the sample. */
@Tag("long")
class ExpressionTests {

    private static final Pattern SELECTOR = Pattern.compile("\\blimiter_\\w+(\\{[^}]*})?");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on) \\(([^)]*)\\)");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)(?:=~|!~|!=|=)\"");

    private static final RedisServer redis = RedisServer.started();
    private static final List<ConfigurableApplicationContext> samples = new ArrayList<>();
    private static final Load load = new Load();
    private static Prometheus prometheus;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        Clients inMemory = start("in-memory");
        Clients onRedis = start("on-redis", "--spring.profiles.active=redis", "--" + redis.property());
        prometheus = Prometheus.start(folder, OperationsPack.RULES, List.of(inMemory.port(), onRedis.port()));
        load.send(10, request -> inMemory.get("/catalog", "X-Api-Key", "key-" + request % 5));
        load.send(5, request -> inMemory.send("POST", "/login?user=ann&password=guess"));
        load.send(3, request -> inMemory.send("POST", "/mails"));
        load.send(1, request -> inMemory.get("/quotes", "X-Api-Key", "key-" + request));
        load.send(5, request -> onRedis.get("/catalog", "X-Api-Key", "key-" + request));
        await(List.of("rate(limiter_storage_seconds_count{outcome=\"ok\"}[1m]) > 0"));
        redis.kill();
    }

    /** Starts an instance of the sample with this name in its metrics. */
    private static Clients start(String name, String... options) {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add("--server.port=0");
        arguments.add("--management.metrics.tags.application=" + name);
        ConfigurableApplicationContext sample =
                SpringApplication.run(SampleApplication.class, arguments.toArray(String[]::new));
        samples.add(sample);
        return new Clients(sample.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }

    @AfterAll
    static void stop() {
        load.close();
        if (prometheus != null) {
            prometheus.close();
        }
        samples.forEach(ConfigurableApplicationContext::close);
        redis.close();
    }

    @Test
    void eachPanelShowsWhatTheSampleExports() {
        assertThat(OperationsPack.panels()).hasSizeGreaterThan(20);
        await(OperationsPack.panels());
        await(OperationsPack.variables());
    }

    @Test
    void eachSelectorFindsWhatTheSampleExports() {
        Set<String> selectors = new TreeSet<>();
        expressions().forEach(expression -> selectors.addAll(matches(SELECTOR, expression, 0)));
        await(selectors);
    }

    @Test
    void eachLabelIsOneThatTheSampleExports() {
        Set<String> known = new TreeSet<>();
        expressions().forEach(expression -> {
            List<String> meters = matches(SELECTOR, expression, 0).stream()
                    .map(selector -> selector.replaceFirst("\\{.*", ""))
                    .distinct()
                    .toList();
            Set<String> labels = new TreeSet<>(matches(MATCHER, expression, 1));
            matches(GROUPING, expression, 1).forEach(list -> labels.addAll(List.of(list.split(", "))));
            labels.forEach(label -> known.add("{__name__=~\"" + String.join("|", meters) + "\", " + label + "!=\"\"}"));
        });
        await(known);
    }

    private static Stream<String> expressions() {
        return Stream.concat(OperationsPack.panels().stream(), OperationsPack.alerts().values().stream());
    }

    private static List<String> matches(Pattern pattern, String text, int group) {
        return pattern.matcher(text).results().map(match -> match.group(group)).toList();
    }

    /** Waits up to a minute until each expression has had a series. */
    private static void await(Collection<String> expressions) {
        List<String> missing = new ArrayList<>(expressions);
        Conditions.isMetWithin(Duration.ofMinutes(1), () -> {
            missing.removeIf(prometheus::has);
            return missing.isEmpty();
        });
        assertThat(missing).as("expressions without a series").isEmpty();
    }
}
