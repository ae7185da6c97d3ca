package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compile.Rules;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.RawClient;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.Socket;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** No input of a client hangs, leaks memory, breaks the server or avoids being counted. */
@Tag("each-line")
class BadInputTests {

    private static final Map<Phase, ConfigurableApplicationContext> RUNNING = new EnumMap<>(Phase.class);
    private static final AtomicInteger SERVED = new AtomicInteger();

    /** The phase in which rules decide. */
    enum Phase {
        ENDPOINT,
        REQUEST;

        ConfigurableApplicationContext application() {
            return RUNNING.computeIfAbsent(this, Phase::start);
        }

        RawClient client() {
            return new RawClient(
                    application().getEnvironment().getRequiredProperty("local.server.port", Integer.class));
        }

        private ConfigurableApplicationContext start() {
            String[] rules =
                    Applications.limiter("""
                web: { trusted-proxies: "127.0.0.0/8,::1" }
                rules:
                  header: { paths: /header/**, phase: PHASE, key: "header:X-Key", limit: 2, window: 1h }
                  ip: { paths: /ip/**, phase: PHASE, key: ip, limit: 2, window: 1h }
                  form: { paths: /form/**, phase: PHASE, key: "param:account", limit: 2, window: 1h }
                  pool: { paths: /pool/**, phase: PHASE, algorithm: concurrency, limit: 1 }
                """.replace("PHASE", name()), "server.max-http-request-header-size=1MB");
            return Applications.start(Application.class, rules);
        }
    }

    @ParameterizedTest
    @EnumSource
    void headerOfAnySizeAndOfAnyBytesIsAKey(Phase phase) throws Exception {
        String large = "x".repeat(64 * 1024);
        for (String key : List.of(large, large + "y", "\u00ff\u00fe\u00c0\u0080", "\u00c3\u0028")) {
            assertTwoServed(phase, "GET", "/header/a", "X-Key: " + key);
        }
    }

    @ParameterizedTest
    @EnumSource
    void tenThousandForwardedEntriesAreOneClient(Phase phase) throws Exception {
        String spoofed = "198.51.100.1, ".repeat(10_000);

        assertTwoServed(phase, "GET", "/ip/a", "X-Forwarded-For: " + spoofed + "203.0.113.1");
        assertThat(phase.client()
                        .send("GET", "/ip/a", "X-Forwarded-For: 203.0.113.1")
                        .status())
                .isEqualTo(429);
        assertTwoServed(phase, "GET", "/ip/a", "Forwarded: " + "for=\"[::1]\",".repeat(10_000) + "for=203.0.113.2");
    }

    /** Requests without the parameter share one bucket, however the server parses them. */
    @ParameterizedTest
    @EnumSource
    void formsThatCannotBeReadAreCounted(Phase phase) throws Exception {
        int before = SERVED.get();
        List<String> forms = List.of(
                form("account=%zz"),
                form("account=%"),
                form("account=%ff%fe"),
                form("=&&=&account"),
                form("account=" + "x".repeat(3_000_000)),
                form("a=1&".repeat(20_000) + "account=1"),
                form("account=1").replace("Content-Length: 9", "Content-Length: 9999"),
                form("account=1").replace("Content-Length: 9", "Transfer-Encoding: chunked"));
        for (int i = 0; i < 3; i++) {
            for (String form : forms) {
                assertThat(phase.client().sendAndShutDown(form).status()).isNotEqualTo(500);
            }
            assertThat(phase.client().send("GET", "/form/a?account=%zz").status())
                    .isIn(200, 400, 429);
        }
        assertThat(SERVED.get() - before).isLessThanOrEqualTo(6);
    }

    @ParameterizedTest
    @EnumSource
    void clientThatIsGoneBeforeItHasSentEverythingHoldsNothing(Phase phase) throws Exception {
        for (int i = 0; i < 3; i++) {
            try (Socket socket = phase.client().connect()) {
                socket.getOutputStream()
                        .write("POST /pool/reading HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nsome"
                                .getBytes(ISO_8859_1));
                await(() -> remaining(phase, "pool") == 0);
                assertThat(phase.client().send("GET", "/pool/plain").status()).isEqualTo(503);
            }
            awaitFree(phase);
        }
    }

    private static void assertTwoServed(Phase phase, String method, String target, String field) throws IOException {
        for (int status : new int[] {200, 200, 429, 429}) {
            assertThat(phase.client().send(method, target, field).status()).isEqualTo(status);
        }
    }

    private static String form(String body) {
        return "POST /form/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    private static void awaitFree(Phase phase) {
        await(() -> remaining(phase, "pool") == 1);
    }

    private static long remaining(Phase phase, String name) {
        Rule rule = phase.application()
                .getBean(Rules.class)
                .current()
                .find(name)
                .orElseThrow()
                .rule();
        return phase.application().getBean(RateLimiters.class).peek(rule, "").remaining();
    }

    @AfterAll
    static void stop() {
        RUNNING.values().forEach(ConfigurableApplicationContext::close);
        RUNNING.clear();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({VirtualTimeSource.class, OpenSecurity.class, Endpoints.class})
    static class Application {

        /** Permits everything that Spring Security would block, so that only limits protect the application. */
        @Bean
        HttpFirewall firewall() {
            return new HttpFirewall() {
                @Override
                public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
                    return new FirewalledRequest(request) {
                        @Override
                        public void reset() {}
                    };
                }

                @Override
                public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
                    return response;
                }
            };
        }
    }

    @RestController
    static class Endpoints {

        @RequestMapping({"/header/{name}", "/ip/{name}", "/form/{name}"})
        String served(@PathVariable("name") String name) {
            SERVED.incrementAndGet();
            return name;
        }

        @RequestMapping("/pool/plain")
        String plain() {
            return "plain";
        }

        @RequestMapping("/pool/reading")
        int reading(HttpServletRequest request) throws IOException {
            return request.getInputStream().readAllBytes().length;
        }
    }
}
