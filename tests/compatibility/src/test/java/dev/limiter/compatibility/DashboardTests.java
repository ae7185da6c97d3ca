package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RawClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The page for those on call, as a browser and a client that looks for a way around limits ask for it. */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class DashboardTests {

    /** Of each line of Spring Boot: what would protect the page. */
    private static final String[] SECURITY = {
        "org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration",
        "org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration",
        "org.springframework.boot.actuate.autoconfigure.security.servlet.ManagementWebSecurityAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration"
    };

    private static final String[] PAGE = {
        "limiter.dashboard.enabled=true",
        "server.address=127.0.0.1",
        "management.endpoints.web.exposure.include=limiter",
        "limiter.web.static-resources=true",
        "limiter.web.default-limit.limit=1000",
        "limiter.web.default-limit.window=1h",
        "limiter.rules.all.paths=/**",
        "limiter.rules.all.phase=request",
        "limiter.rules.all.limit=2",
        "limiter.rules.all.window=1h"
    };

    private ConfigurableApplicationContext application;
    private Clients clients;

    @BeforeAll
    void start() {
        application = startOpen();
        clients = Applications.clientsOf(application);
    }

    @AfterAll
    void stop() {
        application.close();
    }

    private static ConfigurableApplicationContext startOpen(String... more) {
        return Applications.start(
                Application.class,
                with(Stream.concat(
                                Stream.of("spring.autoconfigure.exclude=" + String.join(",", SECURITY)),
                                Stream.of(more))
                        .toArray(String[]::new)));
    }

    /** A property that is given twice has the later value. */
    private static String[] with(String... more) {
        Map<String, String> properties = new LinkedHashMap<>();
        Stream.of(PAGE, more)
                .flatMap(Stream::of)
                .forEach(property -> properties.put(property.substring(0, property.indexOf('=')), property));
        return properties.values().toArray(String[]::new);
    }

    private static int status(Clients clients, String path) {
        return clients.send("GET", path).statusCode();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/page.js",
                "/page.css",
                "/endpoint.js",
                "/elements.js",
                "/charts.js",
                "/rules.js",
                "/panel.js",
                "/standing.js",
                "/words.js",
                "/uplot.js",
                "/uplot.css",
                "/icon.svg",
                "/connection.json"
            })
    void servesEachFileWithAPolicyAndWithoutLimits(String file) {
        IntStream.range(0, 5)
                .forEach(i -> assertThat(status(clients, "/limiter" + file)).isEqualTo(200));

        HttpResponse<String> answer = clients.send("GET", "/limiter" + file);
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(answer.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy)
                        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                        .doesNotContain("unsafe"));
        assertThat(answer.headers().map()).doesNotContainKey("ratelimit");
        // that of the webjar begins with where it is from
        assertThat(answer.body().replace("/*! https://github.com/leeoniya/uPlot", ""))
                .doesNotContain("https://", "style=\"", "onclick=")
                .isNotEmpty();
        assertThat(clients.send("GET", "/actuator/limiter/all").body()).contains("\"decisions\":{}");
    }

    @Test
    void leadsToThePageAndNamesItsEndpoint() {
        HttpResponse<String> answer = clients.send("GET", "/limiter");
        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("Location")).hasValue("/limiter/");
        assertThat(clients.send("GET", "/limiter/connection.json").body())
                .isEqualTo("{\"endpoint\": \"/actuator/limiter\", \"audit\": null}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/limiter/../api",
                "/limiter/%2e%2e/api",
                "/limiter/page.js/../../api",
                "/limiter/;/../../api",
                "/limiter;x/page.js",
                "/limiter//page.js",
                "/limiter/none",
                "/limiter/page.js/",
                "/%6cimiter/page.js"
            })
    void limitsEverythingElse(String path) {
        try (ConfigurableApplicationContext fresh = startOpen()) {
            Clients clients = Applications.clientsOf(fresh);
            status(clients, path);
            status(clients, path);
            int third = status(clients, path);
            // the container refuses some of these spellings itself
            assertThat(third).isIn(429, 400);
            assertThat(third == 400 || status(clients, "/api") == 429).isTrue();
        }
    }

    @Test
    void tellsEachSecondOnce() {
        try (ConfigurableApplicationContext fresh = startOpen()) {
            Clients clients = Applications.clientsOf(fresh);
            IntStream.range(0, 5).forEach(i -> status(clients, "/api"));
            String[] body = {""};
            Conditions.await(() -> {
                body[0] = clients.send("GET", "/actuator/limiter?after=0").body();
                return sum(body[0]) >= 5;
            });
            assertThat(sum(body[0])).isEqualTo(5);
        }
    }

    /** The events of the endpoint, read while they come. */
    private static HttpResponse<InputStream> events(Clients clients, String after, String accepted) {
        return clients.stream("GET", "/actuator/limiter?after=" + after, "Accept", accepted);
    }

    private static Stream<String> lines(HttpResponse<InputStream> events) {
        return new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8)).lines();
    }

    @Test
    @Timeout(60)
    void pushesEachSecondToSixteenWithoutCountingThemAndEndsBeforeTheServer(CapturedOutput output)
            throws IOException, InterruptedException {
        ConfigurableApplicationContext fresh = startOpen(
                "server.shutdown=graceful",
                "spring.lifecycle.timeout-per-shutdown-phase=50s",
                "limiter.web.exclude=/error");
        List<HttpResponse<InputStream>> open = new ArrayList<>();
        try {
            Clients clients = Applications.clientsOf(fresh);
            for (int i = 0; i < 16; i++) {
                open.add(events(clients, "0", "text/event-stream"));
                assertThat(open.get(i).statusCode()).isEqualTo(200);
                assertThat(open.get(i).headers().firstValue("Content-Type"))
                        .hasValue("text/event-stream;charset=UTF-8");
            }
            assertThat(events(clients, "0", "text/event-stream").statusCode()).isEqualTo(503);
            Iterator<String> lines = lines(open.get(0)).iterator();
            IntStream.range(0, 5).forEach(i -> status(clients, "/api"));
            int told = 0;
            while (told < 5) {
                told += sum(lines.next());
            }
            assertThat(told).isEqualTo(5);
        } finally {
            fresh.close();
        }
        assertThat(output).contains("Graceful shutdown complete").doesNotContain("Graceful shutdown aborted");
        open.stream().skip(1).forEach(events -> lines(events).forEach(line -> {}));
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/event-stream", "TEXT/Event-Stream", "text/event-stream;charset=utf-8"})
    void pushesWhateverTheSpellingOfWhatIsAccepted(String accepted) throws IOException, InterruptedException {
        HttpResponse<InputStream> answer = events(clients, "0", accepted);
        assertThat(answer.statusCode()).isEqualTo(200);
        try (InputStream body = answer.body()) {
            assertThat(lines(answer).iterator().next()).startsWith("data: {");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "-1", "", "1.5", "9999999999999999999"})
    void refusesEventsAfterWhatIsNoSecond(String after) throws IOException, InterruptedException {
        assertThat(events(clients, after, "text/event-stream").statusCode()).isEqualTo(400);
    }

    /** Of clients that leave while they are written to, one after the other: places are free again, and nothing is logged. */
    @Test
    @Timeout(60)
    void clientsOfTheEventsMayLeaveAtAnyMoment(CapturedOutput output) {
        try (ConfigurableApplicationContext fresh = startOpen()) {
            int port = Applications.clientsOf(fresh).port();
            for (int i = 0; i < 60; i++) {
                Conditions.await(() -> leaves(port) == 200);
            }
            Conditions.await(() -> leaves(port) == 200);
        }
        assertThat(output).doesNotContain("Exception");
    }

    /** The status of events whose client resets the connection then. */
    private static int leaves(int port) {
        try (Socket socket = new RawClient(port).begin("/actuator/limiter?after=0", "Accept: text/event-stream")) {
            socket.setSoLinger(true, 0);
            return RawClient.statusOf(socket);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    /** The requests that the rule "all" permitted and refused. */
    private static int sum(String body) {
        if (!body.contains("\"rules\":{\"all\"")) {
            return 0;
        }
        Map<String, List<Integer>> all = JsonPath.read(body.substring(body.indexOf('{')), "$.rules.all");
        return Stream.of("permitted", "refused")
                .flatMap(each -> all.get(each).stream())
                .mapToInt(Integer::intValue)
                .sum();
    }

    @Test
    void isOffByDefaultAndThenRemembersNothing() {
        try (ConfigurableApplicationContext off = startOpen("limiter.dashboard.enabled=false")) {
            Clients clients = Applications.clientsOf(off);
            assertThat(status(clients, "/limiter/")).isEqualTo(404);
            assertThat(clients.send("GET", "/actuator/limiter?after=0").statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void doesNotStartWhereEverybodyCouldUseIt(CapturedOutput output) {
        assertThatThrownBy(() -> startOpen("server.address=0.0.0.0").close()).isInstanceOf(Exception.class);
        assertThat(output).contains("LIM-407", "limiter.dashboard.enabled");
        startOpen("server.address=0.0.0.0", "limiter.dashboard.insecure=true").close();
        Applications.start(Secured.class, with("server.address=0.0.0.0")).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"limiter", "/", "/limiter/", "/a/../b", "/a b", "/{a}", ""})
    void doesNotStartWithAPathThatIsNone(String path, CapturedOutput output) {
        assertThatThrownBy(() -> startOpen("limiter.dashboard.path=" + path).close())
                .isInstanceOf(Exception.class);
        assertThat(output).contains("LIM-407", "limiter.dashboard.path");
    }

    @ParameterizedTest
    @CsvSource({"/, /limiter", "/, /limiter/page", "/limiter, /limiter/limiter", "/actuator, /actuator/limiter"})
    void doesNotStartWhereItWouldHideAnEndpoint(String base, String path, CapturedOutput output) {
        assertThatThrownBy(
                        () -> startOpen("management.endpoints.web.base-path=" + base, "limiter.dashboard.path=" + path)
                                .close())
                .isInstanceOf(Exception.class);
        assertThat(output).contains("LIM-407", "would hide the endpoint ");
    }

    @Test
    void standsBesideItsEndpoint() {
        try (ConfigurableApplicationContext fresh =
                startOpen("management.endpoints.web.base-path=/", "limiter.dashboard.path=/limiter-page")) {
            Clients clients = Applications.clientsOf(fresh);
            assertThat(status(clients, "/limiter-page/")).isEqualTo(200);
            assertThat(clients.send("GET", "/limiter").body()).contains("\"rules\":");
        }
    }

    /** A client of one port does not see the content of another. */
    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void doesNotStartWithoutTheEndpointOnItsPort(int port, CapturedOutput output) {
        assertThatThrownBy(() -> startOpen("management.server.port=" + port).close())
                .isInstanceOf(Exception.class);
        assertThat(output).contains("LIM-407", "management.server.port is " + port);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @RestController
    static class Application {

        @GetMapping("/api")
        String get() {
            return "ok";
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    static class Secured {}
}
