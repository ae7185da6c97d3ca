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
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
            List<String> properties = new ArrayList<>(List.of(
                    "server.max-http-request-header-size=1MB",
                    "limiter.web.trusted-proxies=127.0.0.0/8,::1",
                    "limiter.rules.pool.algorithm=concurrency",
                    "limiter.rules.pool.limit=1"));
            rule(properties, "header", "key=header:X-Key", "limit=2", "window=1h");
            rule(properties, "ip", "key=ip", "limit=2", "window=1h");
            rule(properties, "form", "key=param:account", "limit=2", "window=1h");
            rule(
                    properties,
                    "cost",
                    "limit=2",
                    "window=1h",
                    "cost=#{new java.math.BigDecimal(#request.getHeader('X-Cost'))}");
            rule(properties, "pool");
            return Applications.start(Application.class, properties.toArray(String[]::new));
        }

        private void rule(List<String> properties, String name, String... settings) {
            properties.add("limiter.rules." + name + ".paths=/" + name + "/**");
            properties.add("limiter.rules." + name + ".phase=" + name());
            for (String setting : settings) {
                properties.add("limiter.rules." + name + "." + setting);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void headerOf64kBytesIsAKey(Phase phase) throws Exception {
        String large = "x".repeat(64 * 1024);

        assertTwoServed(phase, "GET", "/header/a", "X-Key: " + large);
        assertTwoServed(phase, "GET", "/header/a", "X-Key: " + large + "y");
    }

    @ParameterizedTest
    @EnumSource
    void invalidUtf8InAHeaderIsAKey(Phase phase) throws Exception {
        assertTwoServed(phase, "GET", "/header/a", "X-Key: \u00ff\u00fe\u00c0\u0080");
        assertTwoServed(phase, "GET", "/header/a", "X-Key: \u00c3\u0028");
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

    @ParameterizedTest
    @EnumSource
    void inventedMethodsShareTheLimit(Phase phase) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (String method : List.of("BREW", "XYZZY", "GREASE", "GET")) {
            statuses.add(
                    phase.client().send(method, "/header/m", "X-Key: methods").status());
        }
        assertThat(statuses).containsExactly(200, 200, 429, 429);
    }

    @ParameterizedTest
    @CsvSource({"%00", "%c0%ae", "%c0%af", "\\xff", "%ff", "%c3%28", "%", "%zz", "%u0041"})
    void pathsThatAreNoneAreRejectedOrCounted(String segment) throws Exception {
        for (Phase phase : Phase.values()) {
            String target = "/header/" + segment.replace("\\xff", "\u00ff");
            int before = SERVED.get();
            for (int i = 0; i < 5; i++) {
                assertThat(phase.client()
                                .send("GET", target, "X-Key: " + segment)
                                .status())
                        .isIn(200, 400, 404, 429);
            }
            assertThat(SERVED.get() - before).isLessThanOrEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void keyOfAMegabyteIsAKey(Phase phase) throws Exception {
        String large = "account=" + "x".repeat(1_000_000);

        assertTwoServed(phase, form(large));
        assertTwoServed(phase, form(large + "y"));
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
                assertThat(cutOff(phase, form)).isNotEqualTo(500);
            }
            assertThat(phase.client().send("GET", "/form/a?account=%zz").status())
                    .isIn(200, 400, 429);
        }
        assertThat(SERVED.get() - before).isLessThanOrEqualTo(6);
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 500", "-9223372036854775808, 500", "0.5, 500", "1e30, 500", "-1e400, 500", "18446744073709551617, 500",
        "x, 500", "'', 500", "3, 429", "1000000000000000, 429", "1000000000000001, 429", "9223372036854775807, 429",
    })
    void senselessCostIsNeverServed(String cost, int status) throws Exception {
        for (Phase phase : Phase.values()) {
            int before = SERVED.get();
            // a failing expression takes one permit, and there are two
            assertThat(phase.client().send("GET", "/cost/a", "X-Cost: " + cost).status())
                    .isIn(status, 429);
            assertThat(SERVED.get()).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource
    void handlerThatFailsDuringItsResponseHoldsNothing(Phase phase) throws Exception {
        for (int i = 0; i < 3; i++) {
            RawClient.Answer answer = phase.client().send("GET", "/pool/failing");

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).contains("begun");
            awaitFree(phase);
        }
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

    @ParameterizedTest
    @EnumSource
    void clientThatIsGoneBeforeItHasReadEverythingHoldsNothing(Phase phase) throws Exception {
        for (int i = 0; i < 3; i++) {
            try (Socket socket = phase.client().connect()) {
                socket.setSoLinger(true, 0);
                socket.getOutputStream()
                        .write("GET /pool/endless HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(ISO_8859_1));
                assertThat(socket.getInputStream().read()).isEqualTo('H');
                assertThat(remaining(phase, "pool")).isZero();
            }
            awaitFree(phase);
        }
    }

    private static void assertTwoServed(Phase phase, String method, String target, String field) throws IOException {
        for (int status : new int[] {200, 200, 429, 429}) {
            assertThat(phase.client().send(method, target, field).status()).isEqualTo(status);
        }
    }

    private static void assertTwoServed(Phase phase, String request) throws IOException {
        for (int status : new int[] {200, 200, 429, 429}) {
            assertThat(phase.client().send(request).status()).isEqualTo(status);
        }
    }

    private static String form(String body) {
        return "POST /form/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    /** Sends a truncated request, closes the output, and returns the status. */
    private static int cutOff(Phase phase, String request) throws IOException {
        return phase.client().sendAndShutDown(request).status();
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

        @RequestMapping({"/header/{name}", "/ip/{name}", "/cost/{name}", "/form/{name}"})
        String served(@PathVariable("name") String name) {
            SERVED.incrementAndGet();
            return name;
        }

        @RequestMapping("/pool/plain")
        String plain() {
            return "plain";
        }

        @RequestMapping("/pool/failing")
        void failing(HttpServletResponse response) throws IOException {
            response.getWriter().print("begun");
            response.flushBuffer();
            throw new IllegalStateException("on purpose");
        }

        @RequestMapping("/pool/reading")
        int reading(HttpServletRequest request) throws IOException {
            return request.getInputStream().readAllBytes().length;
        }

        @RequestMapping("/pool/endless")
        void endless(HttpServletResponse response) throws IOException {
            byte[] some = new byte[8192];
            while (true) {
                response.getOutputStream().write(some);
            }
        }
    }
}
