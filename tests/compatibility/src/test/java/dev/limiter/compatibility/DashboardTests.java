package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Conditions under which the files of limiter-dashboard are served. */
@Tag("each-line")
@ExtendWith(OutputCaptureExtension.class)
class DashboardTests {

    private static final String[] FILES = ("index.html page.css icon.svg page.js endpoint.js elements.js chart.js"
                    + " history.js rules.js panel.js standing.js words.js")
            .split(" ");

    @AutoClose
    private static final ConfigurableApplicationContext application = startOpen(
            "server.address=127.0.0.1", "limiter.web.default-limit.limit=1", "limiter.web.default-limit.window=1h");

    private static final Clients clients = Applications.clientsOf(application);

    private static ConfigurableApplicationContext startOpen(String... more) {
        return Applications.start(Open.class, new String[] {Applications.WITHOUT_SECURITY}, more);
    }

    private static void assertNotServed(ConfigurableApplicationContext application) {
        Clients clients = Applications.clientsOf(application);
        assertThat(Stream.concat(
                        Stream.of("", "/", "/connection.json"),
                        Arrays.stream(FILES).map("/"::concat)))
                .allSatisfy(path -> assertThat(
                                clients.send("GET", "/limiter" + path).statusCode())
                        .isEqualTo(404));
    }

    @Test
    void leadsToThePage() {
        HttpResponse<String> moved = clients.send("GET", "/limiter");
        assertThat(moved.statusCode()).isEqualTo(302);
        assertThat(moved.headers().firstValue("Location")).hasValue("limiter/");

        HttpResponse<String> page = clients.send("GET", "/limiter/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/html"));
        assertThat(page.body())
                .contains("Content-Security-Policy", "default-src 'none'", "<title>Limiter</title>")
                .doesNotContain("unsafe", "style=\"", "onclick=");
    }

    /** The default limit of one request per hour applies only to endpoints. */
    @Test
    void servesEachFileWithoutLimits() {
        for (String file : FILES) {
            clients.send("GET", "/limiter/" + file);
            HttpResponse<String> answer = clients.send("GET", "/limiter/" + file);
            assertThat(answer.statusCode()).as(file).isEqualTo(200);
            assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-cache");
            assertThat(answer.body()).doesNotContain("https://").isNotEmpty();
        }
    }

    @Test
    void namesTheEndpointWhereverItIs() {
        assertThat(clients.send("GET", "/limiter/connection.json").body())
                .isEqualTo("{\"endpoint\":\"/actuator/limiter\"}");
        try (ConfigurableApplicationContext moved = startOpen(
                "server.address=127.0.0.1",
                "server.servlet.context-path=/shop",
                "spring.mvc.servlet.path=/mvc",
                "management.endpoints.web.base-path=/manage/",
                "management.endpoints.web.path-mapping.limiter=limits",
                "management.endpoints.web.exposure.include=limiter")) {
            Clients clients = Applications.clientsOf(moved);
            assertThat(clients.send("GET", "/shop/mvc/limiter").headers().firstValue("Location"))
                    .hasValue("limiter/");
            assertThat(clients.send("GET", "/shop/mvc/limiter/page.js").statusCode())
                    .isEqualTo(200);
            assertThat(clients.send("GET", "/shop/mvc/limiter/connection.json").body())
                    .isEqualTo("{\"endpoint\":\"/manage/limits\"}");
            assertThat(clients.send("GET", "/shop/mvc/manage/limits").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void isNotServedWithoutProtection(CapturedOutput output) {
        try (ConfigurableApplicationContext exposed = startOpen("server.address=0.0.0.0")) {
            assertNotServed(exposed);
        }
        assertThat(output).contains("or set server.address to a loopback address. [LIM-407]");
    }

    @Test
    void isNotServedIfItIsSwitchedOff(CapturedOutput output) {
        try (ConfigurableApplicationContext off =
                startOpen("server.address=0.0.0.0", "limiter.dashboard.enabled=off")) {
            assertNotServed(off);
        }
        assertThat(output).doesNotContain("LIM-407");
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Open {}
}
