package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.testkit.Clients;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;

/** A rules file that cannot work leaves the rules as they are, in bounded time and memory, and says why. */
@Tag("long")
@ExtendWith(OutputCaptureExtension.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RulesFileBadInputTests extends RulesFileSupport {

    private static final String ALL = "/actuator/limiter";

    @TempDir
    private static Path sharedFolder;

    private static Path sharedFile;
    private static ConfigurableApplicationContext shared;

    static Stream<Arguments> bad() {
        return Stream.of(
                text("limiter:\n\trules:\n", "found character", "TAB", "line 2"),
                text("limiter:\n  rules: [a: b\n", "no YAML", "line "),
                Arguments.of(
                        "limiter:\n  rules:\n    orders:\n      key: \"header:Schl\u00fcssel\"\n"
                                .getBytes(StandardCharsets.ISO_8859_1),
                        List.of("no UTF-8")),
                Arguments.of(orders(9).getBytes(Charset.forName("UTF-32")), List.of("LIM-503")),
                text("\u0000\u0001\u0002", "no YAML"),
                text(laughs(), "too much when its aliases are written out"),
                text("limiter: { rules: &a { orders: *a } }", "too much"),
                text("limiter: { rules: &a [ *a ] }", "too much"),
                text("? " + "k".repeat(200_000) + "\n: [" + "1,".repeat(100_000) + "]", "too much"),
                text("[".repeat(100_000), "no YAML"),
                text("hello", "may have limiter.rules"),
                text("- limiter\n", "may have limiter.rules"),
                text("limiter:\n", "empty"),
                text("limiter:\n  rules:\n", "empty"),
                text("# nothing\n", "empty"),
                text("---\n---\n", "empty"),
                text(keys("other"), "and 9989 more"),
                text("limiter: { rules: { orders: { limit: 5 }, Orders: { limit: 6 } } }", "LIM-104"),
                text("limiter: { rules: { orders: { limit: 5 }, orders: { limit: 6 } } }", "duplicate key"),
                text("limiter: { rules: { orders: { limit: '${NOT_THERE}' } } }", "NOT_THERE"),
                text("limiter: { rules: { orders: { limit: 7 } }, caps: { orders: 9 } }", "limiter.caps"),
                text("limiter: { rules: { orders: lim } }", "LIM-102", "limiter.rules.orders"),
                text("limiter: { rules: { orders: '' } }", "LIM-102", "limiter.rules.orders"),
                text("limiter: { rules: { orders: 5, others: { paths: /o, limit: 1 } } }", "LIM-102"),
                text("limiter: { rules: { orders: { paths: /o, limit: 1,000, window: 1h } } }", "LIM-101", "orders[0]"),
                text("spring.config.import: /etc/passwd", "spring.config.import"),
                text("!!javax.script.ScriptEngineManager [x]", "LIM-503"));
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

    @BeforeAll
    static void startOne() throws IOException {
        sharedFile = Files.writeString(sharedFolder.resolve("rules.yml"), orders(4));
        shared = start(sharedFile);
    }

    @AfterAll
    static void stopOne() {
        shared.close();
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("bad")
    void isTold(byte[] content, List<String> said) throws IOException {
        Clients clients = Applications.clientsOf(shared);
        replace(sharedFile, orders(4));
        awaitShown(clients, ORDERS, "\"limit\":4");
        await(() -> !clients.get(ALL).body().contains("\"problem\":"));

        replace(sharedFile, content);
        awaitShown(clients, ALL, "\"problem\":");
        assertThat(clients.get(ALL).body()).contains(said).hasSizeLessThan(50_000);
        assertThat(clients.get(ORDERS).body()).contains("\"limit\":4");

        replace(sharedFile, orders(5));
        awaitShown(clients, ORDERS, "\"limit\":5");
        assertThat(clients.get(ALL).body()).doesNotContain("\"problem\":");
    }

    @Test
    void bombStopsTheStart(CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), laughs());
        assertThatThrownBy(() -> start(file).close()).isInstanceOf(RuntimeException.class);
        assertThat(output).contains("LIM-503", "too much when its aliases are written out");
    }

    @Test
    void aliasesAreForRules() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            replace(file, """
                    limiter:
                      rules:
                        more: &more
                          paths: /more
                          limit: 6
                          window: 1h
                        orders:
                          <<: *more
                          paths: /orders
                    """);
            awaitShown(clients, ORDERS, "\"limit\":6");
        }
    }

    @Test
    void pipeIsNotReadAndAFileThatMayNotBeReadIsToldAsThat() throws Exception {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            Files.delete(file);
            Process pipe = new ProcessBuilder("mkfifo", file.toString()).start();
            assertThat(pipe.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assumeThat(pipe.exitValue()).isZero();
            awaitShown(clients, ALL, "This is no file");
            Files.delete(file);

            Files.createSymbolicLink(file, file);
            awaitShown(clients, ALL, "cannot be read");
            Files.delete(file);

            replace(file, orders(6));
            awaitShown(clients, ORDERS, "\"limit\":6");

            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
            if (!Files.isReadable(file)) { // as root it is
                awaitShown(clients, ALL, "cannot be read");
            }
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(6);
        }
    }

    /** As with cp -p, or on a file system that counts whole seconds. */
    @Test
    void changeOfTheSameTimeAndSizeIsFollowed() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        FileTime time = FileTime.fromMillis(1_000_000_000_000L);
        Files.setLastModifiedTime(file, time);
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            awaitShown(clients, ORDERS, "\"limit\":4");
            Path written = Files.writeString(folder.resolve("written"), orders(5));
            Files.setLastModifiedTime(written, time);
            Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
            awaitShown(clients, ORDERS, "\"limit\":5");
        }
    }

    @Test
    void isNotAboveACap() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application =
                start(file, "limiter.caps.orders.limit=4", "limiter.caps.orders.window=1h")) {
            Clients clients = Applications.clientsOf(application);
            replace(file, orders(5));
            awaitShown(clients, ALL, "LIM-317");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(4);

            for (String exempting : List.of("condition: '#{false}'", "allow: 127.0.0.0/8", "charge-if: '#{false}'")) {
                replace(file, orders(4));
                await(() -> !clients.get(ALL).body().contains("\"problem\":"));
                replace(file, orders(3) + "      " + exempting + "\n");
                awaitShown(clients, ALL, "LIM-317");
            }
            replace(file, orders(2));
            awaitShown(clients, ORDERS, "\"limit\":2");
        }
    }

    @Test
    void ruleOfAnotherSourceIsNoticedInAnySpelling(CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            application.getBean(ChangingSource.class).become(() -> List.of(rule("my-more", 2)));
            replace(file, orders(5));
            awaitShown(clients, "/actuator/limiter/my-more", "\"limit\":2");

            replace(file, orders(6) + "    my_More: { paths: /more, limit: 9, window: 1h }\n");
            awaitShown(clients, ALL, "LIM-104");
            await(() -> output.toString().contains("Rules stay as they are"));
            assertThat(output).contains("my_More", "test");
            assertThat(clients.get(ORDERS).body()).contains("\"limit\":5");
        }
    }

    /** The file itself was never wrong. */
    @Test
    void isTriedAgainWhereAnotherSourceWasInItsWay() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            ChangingSource other = application.getBean(ChangingSource.class);
            other.become(() -> {
                throw new IllegalStateException("the table of rules is not there");
            });
            replace(file, orders(5));
            awaitShown(clients, ALL, "the table of rules is not there");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(4);

            other.become(List::of);
            awaitShown(clients, ORDERS, "\"limit\":5");
            assertThat(clients.get(ALL).body()).doesNotContain("\"problem\":");
        }
    }

    @Test
    void isTriedAgainAtOnceWhenAChangeIsMade() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            ChangingSource other = application.getBean(ChangingSource.class);
            for (long limit = 5; limit < 10; limit++) { // ten seconds each, without it
                other.become(() -> List.of(rule("orders", 1)));
                replace(file, orders(limit));
                awaitShown(clients, ALL, "LIM-104");
                other.become(List::of);
                clients.post("/actuator/limiter/orders", "{\"mode\":\"" + (limit % 2 == 0 ? "off" : "enforce") + "\"}");
                awaitShown(clients, ORDERS, "\"limit\":" + limit);
            }
        }
    }

    @Test
    void badFileStaysTheProblemWhenTheEnvironmentChanges() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            replace(file, orders(0));
            awaitShown(clients, ALL, "LIM-107");
            application.publishEvent(new EnvironmentChangeEvent(this));
            assertThat(clients.get(ALL).body()).contains("LIM-107");
        }
    }

    /** Else nobody could end it. */
    @Test
    void demandOfRulesThatAreGoneIsForgotten() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), eightRules("a"));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            for (int i = 0; i < 8; i++) {
                assertThat(clients.post(ALL + "/a" + i, "{\"observe\":true}").statusCode())
                        .isEqualTo(200);
            }
            assertThat(clients.post(ORDERS, "{\"observe\":true}").statusCode()).isEqualTo(400);

            replace(file, eightRules("b"));
            await(() -> clients.get(ALL + "/b7").statusCode() == 200);
            for (int i = 0; i < 8; i++) {
                assertThat(clients.post(ALL + "/b" + i, "{\"observe\":true}").statusCode())
                        .isEqualTo(200);
            }
        }
    }

    private static String eightRules(String name) {
        return "limiter:\n  rules:\n"
                + IntStream.range(0, 8)
                        .mapToObj(i -> "    " + name + i + ": { paths: /more/" + i + ", limit: 5, window: 1h }\n")
                        .collect(Collectors.joining());
    }

    private static RuleDefinition rule(String name, long limit) {
        return RuleDefinition.builder(name, RuleOrigin.source("test"))
                .paths(List.of("/more"))
                .limit(limit, "1h", null, null, null)
                .build();
    }
}
