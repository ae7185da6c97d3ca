package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Rules in a file that is replaced at run time. Most tests share one application and its file. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RulesFileTests {

    private static final String STAYS = "the previous rules stay in force";
    private static final String PROBLEM = "\"problem\":";

    @TempDir
    private static Path folder;

    private static Path file;

    @AutoClose
    private static ConfigurableApplicationContext application;

    private static Operator operator;

    @BeforeAll
    static void start() throws IOException {
        file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        application = start(file);
        operator = Operator.of(application);
    }

    private static ConfigurableApplicationContext start(Path file) {
        String[] rules = Applications.limiter("""
            rules:
              orders: { paths: /orders, limit: 3, window: 1h, key: "header:X-Api-Key" }
              capped: { paths: /capped, limit: 99, window: 1h, key: "header:X-Api-Key" }
            caps:
              capped: { limit: 100, window: 1h }
            """);
        return Operator.start(Limited.class, rules, "limiter.rules-file=" + file);
    }

    @BeforeEach
    void hasTheInitialRules() throws IOException {
        operator.revert("orders");
        replace(orders(4));
        operator.awaitRule("orders", "\"limit\":4");
        await(() -> !operator.all().contains(PROBLEM));
        operator.revert("orders?key=acme");
    }

    private static String orders(long limit) {
        return "limiter:\n  rules:\n    orders:\n      limit: " + limit + "\n";
    }

    /** Replaces the file atomically, as ConfigMaps do. */
    private static void replace(String content) throws IOException {
        Path written = Files.writeString(folder.resolve("written"), content);
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void awaitProblem(String text) {
        await(() -> operator.all().contains(PROBLEM) && operator.all().contains(text));
    }

    /** {@code RulesFileTests} and {@code BadConfigurationTests} of the starter have more. */
    static Stream<Arguments> bad() {
        return Stream.of(
                text(laughs(), "aliases expand to too many values"),
                text("[".repeat(100_000), "Invalid YAML"),
                text("limiter: { rules: { orders: { limit: 0 } } }", "LIM-107", "limiter.rules.orders.limit"),
                text("limiter: { rules: { capped: { limit: 101 } } }", "LIM-317"),
                text("limiter: { rules: { capped: { allow: 127.0.0.0/8 } } }", "LIM-317"));
    }

    private static Arguments text(String text, String... said) {
        return Arguments.of(text, List.of(said));
    }

    private static String laughs() {
        StringBuilder text = new StringBuilder("a0: &a0 { limit: 1 }\n");
        for (int i = 1; i < 12; i++) {
            text.append("a" + i + ": &a" + i + " [" + ("*a" + (i - 1) + ",").repeat(10) + "]\n");
        }
        return text + "limiter: { rules: *a11 }\n";
    }

    @Tag("long")
    @ParameterizedTest(name = "{1}")
    @MethodSource("bad")
    void invalidRulesAreReportedAndTheRulesStay(String content, List<String> said, CapturedOutput output)
            throws IOException {
        replace(content);
        awaitProblem("");
        assertThat(operator.all()).contains(said).hasSizeLessThan(50_000);
        await(() -> output.toString().contains(STAYS));
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(4);
    }

    @Test
    void healthShowsTheProblemAndItsTime() throws IOException {
        assertThat(health()).containsEntry("rulesFile", file.toString()).doesNotContainKey("problem");

        Instant before = Instant.now();
        replace(orders(0));
        await(() -> health().containsKey("problemSince"));
        assertThat(Instant.parse((String) health().get("problemSince")))
                .isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
        assertThat((String) health().get("problem")).contains("limit");
        assertThat(JsonPath.<String>read(
                        operator.clients().get("/actuator/health").body(), "$.components.limiter.status"))
                .isEqualTo("UP");

        replace(orders(5));
        await(() -> !health().containsKey("problem"));
    }

    private static Map<String, Object> health() {
        return JsonPath.read(operator.clients().get("/actuator/health").body(), "$.components.limiter.details");
    }

    @Test
    void completesTheConfigurationAndIsFollowed() throws IOException {
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(4);

        replace(orders(6) + "    more:\n      paths: /more\n      limit: 2\n      window: 1h\n");
        operator.awaitRule("orders", "\"limit\":6");
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(2);
        assertThat(operator.permitted("/more", "acme")).isEqualTo(2);

        replace("""
            limiter:
              rules:
                more: &more { paths: /more, limit: 40, window: 1h }
                orders: { <<: *more, paths: /orders, limit: 7 }
            """);
        operator.awaitRule("orders", "\"limit\":7");
        assertThat(operator.permitted("/more", "acme")).isEqualTo(30);
    }

    @Test
    void unreadableFileIsReportedAndTheRulesStay() throws Exception {
        Files.delete(file);
        awaitProblem("no longer exists");
        Files.createDirectory(file);
        awaitProblem("This is not a regular file");
        Files.delete(file);
        Files.createSymbolicLink(file, file);
        awaitProblem("cannot be read");
        Files.delete(file);
        Files.write(file, new byte[11 << 20]);
        awaitProblem("more than 1048576 bytes");
        Files.delete(file);
        Process pipe = new ProcessBuilder("mkfifo", file.toString()).start();
        assertThat(pipe.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assumeThat(pipe.exitValue()).isZero();
        awaitProblem("This is not a regular file");
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(4);

        replace(orders(6));
        operator.awaitRule("orders", "\"limit\":6");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        if (!Files.isReadable(file)) { // as root it is
            awaitProblem("cannot be read");
        }
    }

    /**
     * As Kubernetes replaces a ConfigMap. {@code cp -p}, and file systems with a resolution of seconds, keep even the
     * time.
     */
    @Test
    void isFollowedThroughSymbolicLinksToAFileOfTheSameTimeAndSize() throws IOException {
        for (int limit : new int[] {4, 5}) {
            Path target = Files.createDirectories(folder.resolve(".." + limit)).resolve("linked.yml");
            Files.writeString(target, orders(limit));
            Files.setLastModifiedTime(target, FileTime.fromMillis(1_000_000_000_000L));
        }
        Path data = Files.createSymbolicLink(folder.resolve("..data"), folder.resolve("..4"));
        Path linked = Files.createSymbolicLink(folder.resolve("linked.yml"), folder.resolve("..data/linked.yml"));
        try (ConfigurableApplicationContext own = start(linked)) {
            Operator.of(own).awaitRule("orders", "\"limit\":4");

            Files.createSymbolicLink(folder.resolve("..new"), folder.resolve("..5"));
            Files.move(folder.resolve("..new"), data, StandardCopyOption.REPLACE_EXISTING);
            Operator.of(own).awaitRule("orders", "\"limit\":5");
        }
    }

    @Test
    void startupFailsIfItHasNoEffect(CapturedOutput output) throws IOException {
        Path wrong = folder.resolve("wrong.yml");
        for (String text : List.of(orders(0), "server:\n  port: 1\n", laughs())) {
            Files.writeString(wrong, text);
            assertThatThrownBy(() -> start(wrong).close()).isInstanceOf(RuntimeException.class);
        }
        assertThat(output)
                .contains("limiter.rules.orders.limit", "wrong.yml] - 4:14", "LIM-107")
                .contains("server.port", "LIM-503")
                .contains("aliases expand to too many values");
    }

    @Test
    void mayComeLaterAndRulesFollowTheEnvironmentOfSpringCloud(CapturedOutput output) throws IOException {
        Path later = folder.resolve("later.yml");
        try (ConfigurableApplicationContext own = start(later)) {
            Operator ofOwn = Operator.of(own);
            assertThat(output).contains(later + " does not exist");
            Map<String, Object> refreshed = new HashMap<>(Map.of("limiter.rules.orders.limit", "5"));
            own.getEnvironment().getPropertySources().addFirst(new MapPropertySource("refreshed", refreshed));
            own.publishEvent(new EnvironmentChangeEvent(this));
            assertThat(ofOwn.permitted("/orders", "acme")).isEqualTo(5);

            refreshed.put("limiter.rules.orders.limit", "none");
            own.publishEvent(new EnvironmentChangeEvent(this));
            assertThat(output).contains(STAYS, "limiter.rules.orders.limit = \"none\"");
            assertThat(ofOwn.rule("orders")).contains("\"limit\":5");

            Files.writeString(later, orders(6));
            ofOwn.awaitRule("orders", "\"limit\":6");
        }
    }

    /** Otherwise there would be no way to end it. */
    @Test
    void demandOfRulesThatAreGoneIsForgotten() throws IOException {
        for (String name : List.of("a", "b")) {
            replace("limiter:\n  rules:\n" + more(8, name, "1h"));
            await(() -> operator.status(name + 7) == 200);
            for (int i = 0; i < 8; i++) {
                operator.change(name + i, "{'observe':true}");
            }
            Operator.body(400, operator.post("orders", "{'observe':true}"));
        }
    }

    private static String more(int count, String name, String window) {
        return IntStream.range(0, count)
                .mapToObj(i -> "    " + name + i + ": { paths: /more/" + i + ", limit: " + (i + 1) + ", window: "
                        + window + " }\n")
                .collect(Collectors.joining());
    }

    @Tag("long")
    @Test
    void twoThousandRulesComeAndGo(CapturedOutput output) throws IOException {
        replace(orders(5) + more(2_000, "rule", "1h"));
        operator.awaitRule("rule1999", "\"limit\":2000");
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(5);

        replace(orders(0) + more(2_000, "rule", "never"));
        await(() -> output.getOut().contains("1951 more problems")); // listing all rules takes time
        assertThat(operator.all()).contains("1951 more problems");

        replace(orders(6));
        operator.awaitRule("orders", "\"limit\":6");
        assertThat(operator.status("rule1999")).isEqualTo(404);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Limited {

        @GetMapping({"/orders", "/more", "/capped"})
        String get() {
            return "ok";
        }
    }
}
