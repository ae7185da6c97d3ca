package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.RuleSource;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
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
import org.springframework.context.annotation.Bean;
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
    private static ConfigurableApplicationContext application;
    private static Operator operator;

    @BeforeAll
    static void start() throws IOException {
        file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        application = start(file);
        operator = Operator.of(application);
    }

    @AfterAll
    static void stop() {
        application.close();
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
        application.getBean(ChangingSource.class).rules = List.of();
        operator.revert("orders");
        replace(orders(4));
        operator.awaitRule("orders", "\"limit\":4");
        await(() -> !operator.all().contains(PROBLEM));
        operator.revert("orders?key=acme");
    }

    private static String orders(long limit) {
        return "limiter:\n  rules:\n    orders:\n      limit: " + limit + "\n";
    }

    private static void replace(String text) throws IOException {
        replace(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Replaces the file atomically, as ConfigMaps do. */
    private static void replace(byte[] content) throws IOException {
        Path written = Files.write(folder.resolve("written"), content);
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void awaitProblem(String text) {
        await(() -> operator.all().contains(PROBLEM) && operator.all().contains(text));
    }

    private static int count(CapturedOutput output, String part) {
        return output.toString().split(part, -1).length - 1;
    }

    static Stream<Arguments> bad() {
        return Stream.of(
                text("limiter: [", "Invalid YAML"),
                text("limiter:\n\trules:\n", "found character", "TAB", "line 2"),
                Arguments.of(
                        "limiter:\n  rules:\n    orders:\n      key: \"header:Schl\u00fcssel\"\n"
                                .getBytes(StandardCharsets.ISO_8859_1),
                        List.of("not encoded in UTF-8")),
                Arguments.of(orders(9).getBytes(Charset.forName("UTF-32")), List.of("LIM-503")),
                text("\u0000\u0001\u0002", "Invalid YAML"),
                text(laughs(), "aliases expand to too many values"),
                text("limiter: { rules: &a { orders: *a } }", "too many values"),
                text("limiter: { rules: &a [ *a ] }", "too many values"),
                text("? " + "k".repeat(200_000) + "\n: [" + "1,".repeat(100_000) + "]", "too many values"),
                text("[".repeat(100_000), "Invalid YAML"),
                text("hello", "only limiter.rules"),
                text("- limiter\n", "only limiter.rules"),
                text("", "empty"),
                text("limiter:\n  rules:\n", "empty"),
                text("---\n---\n", "empty"),
                text(keys("other"), "and 9989 more"),
                text("spring: { application: { name: other } }", "spring.application.name"),
                text("spring.config.import: /etc/passwd", "spring.config.import"),
                text("!!javax.script.ScriptEngineManager [x]", "LIM-503"),
                text("limiter: { max-keys: 5 }", "limiter.max-keys"),
                text("limiter: { rules: { orders: { limit: 7 } }, caps: { orders: 9 } }", "limiter.caps"),
                text("limiter: { rules: { orders: { limit: 0 } } }", "LIM-107", "limiter.rules.orders.limit"),
                text("limiter: { rules: { orders: { limit: many } } }", "a whole number"),
                text("limiter: { rules: { orders: { limt: 5 } } }", "Did you mean limit?"),
                text("limiter: { rules: { orders: { limits: { a: { limit: 5, window: 1s } } } } }", "LIM-207"),
                text("limiter: { rules: { orders: { limit: 5 }, Orders: { limit: 6 } } }", "LIM-104"),
                text("limiter: { rules: { orders: { limit: 5 }, orders: { limit: 6 } } }", "duplicate key"),
                text("limiter: { rules: { orders: { limit: '${NOT_THERE}' } } }", "NOT_THERE"),
                text("limiter: { rules: { orders: lim } }", "LIM-102", "limiter.rules.orders"),
                text("limiter: { rules: { orders: '' } }", "LIM-102", "limiter.rules.orders"),
                text("limiter: { rules: { orders: 5, others: { paths: /o, limit: 1 } } }", "LIM-102"),
                text("limiter: { rules: { orders: { paths: /o, limit: 1,000, window: 1h } } }", "LIM-101", "orders[0]"),
                text("limiter: { rules: { capped: { limit: 101 } } }", "LIM-317"),
                text("limiter: { rules: { capped: { condition: '#{false}' } } }", "LIM-317"),
                text("limiter: { rules: { capped: { allow: 127.0.0.0/8 } } }", "LIM-317"),
                text("limiter: { rules: { capped: { charge-if: '#{false}' } } }", "LIM-317"));
    }

    private static Arguments text(String text, String... said) {
        return Arguments.of(text.getBytes(StandardCharsets.UTF_8), List.of(said));
    }

    private static String laughs() {
        StringBuilder text = new StringBuilder("a0: &a0 { limit: 1 }\n");
        for (int i = 1; i < 12; i++) {
            text.append("a" + i + ": &a" + i + " [" + ("*a" + (i - 1) + ",").repeat(10) + "]\n");
        }
        return text + "limiter: { rules: *a11 }\n";
    }

    private static String keys(String name) {
        return IntStream.range(0, 10_000).mapToObj(i -> name + i + ": 1\n").collect(Collectors.joining());
    }

    @Tag("long")
    @ParameterizedTest(name = "{1}")
    @MethodSource("bad")
    void invalidRulesAreReportedAndTheRulesStay(byte[] content, List<String> said, CapturedOutput output)
            throws IOException {
        replace(content);
        awaitProblem("");
        assertThat(operator.all()).contains(said).hasSizeLessThan(50_000);
        await(() -> output.toString().contains(STAYS));
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(4);

        replace(orders(5));
        operator.awaitRule("orders", "\"limit\":5");
        assertThat(operator.all()).doesNotContain(PROBLEM);
        assertThat(count(output, STAYS)).isEqualTo(1);
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
    void findingsAreReportedOnceAsAfterStartup(CapturedOutput output) throws IOException {
        String typo = "    more:\n      paths: /moer\n      limit: 2\n      window: 1h\n";
        replace(orders(5) + typo);
        await(() -> output.toString().contains("LIM-901"));
        replace(orders(6) + typo);
        operator.awaitRule("orders", "\"limit\":6");
        replace(orders(7) + typo.replace("moer", "moore"));
        await(() -> output.toString().contains("/moore"));

        assertThat(count(output, "LIM-901")).isEqualTo(2);
    }

    /** Otherwise the change would be confirmed, but take effect at some later time. */
    @Test
    void changeNextToOneThatNoLongerFitsIsRejected() throws IOException {
        operator.change("orders", "{'burst':12}");
        replace(orders(5) + "      algorithm: fixed-window\n");
        awaitProblem("");

        for (String change : List.of("{'limit':3}", "{'mode':'off'}")) {
            assertThat(Operator.body(400, operator.post("orders", change))).contains("LIM-204", "\"where\":\"burst\"");
        }
        operator.change("capped", "{'limit':98}");
        operator.change("orders", "{'key':'a','limit':9,'until':'1h'}");

        operator.revert("orders");
        assertThat(operator.all()).doesNotContain(PROBLEM);
        operator.change("orders", "{'limit':3}");
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(3);
        operator.revert("orders");
    }

    @Test
    void isHiddenByChangesThatStay() throws IOException {
        operator.change("orders", "{'limit':9}");
        replace(orders(5) + "      window: 2h\n");
        operator.awaitRule("orders", "\"window\":\"PT2H\"");
        assertThat(operator.rule("orders")).contains("\"limit\":9");
        assertThat(operator.revert("orders")).contains("\"limit\":5");
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

    @Test
    void ruleOfAnotherSourceIsNoticedInAnySpelling(CapturedOutput output) throws IOException {
        application.getBean(ChangingSource.class).rules = List.of(
                RuleDefinition.builder("my-more", RuleOrigin.source("test"))
                        .paths(List.of("/more"))
                        .limit(2L, "1h", null, null, null)
                        .build());
        replace(orders(5));
        operator.awaitRule("my-more", "\"limit\":2");

        replace(orders(6) + "    my_More: { paths: /more, limit: 9, window: 1h }\n");
        awaitProblem("LIM-104");
        await(() -> output.toString().contains(STAYS));
        assertThat(output).contains("my_More", "test");
        assertThat(operator.rule("orders")).contains("\"limit\":5");
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

        /** A source of rules, initially without any. */
        @Bean
        ChangingSource changing() {
            return new ChangingSource();
        }

        @GetMapping({"/orders", "/more", "/capped"})
        String get() {
            return "ok";
        }
    }

    /** A source of rules that a test can change. */
    static final class ChangingSource implements RuleSource {

        private volatile List<RuleDefinition> rules = List.of();

        @Override
        public Collection<RuleDefinition> rules() {
            return rules;
        }
    }
}
