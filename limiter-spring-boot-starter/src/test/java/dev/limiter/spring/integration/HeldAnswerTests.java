package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.Rules;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The answer that the client gets is what counts for charge-if, whatever was written or begun before. */
@TestPropertySource(
        properties = {
            "limiter.rules.failed.paths=/written,/asynchronous",
            "limiter.rules.failed.key=param:client",
            "limiter.rules.failed.limit=1",
            "limiter.rules.failed.window=1h",
            "limiter.rules.failed.charge-if=failed",
            "limiter.rules.moved.paths=/moved",
            "limiter.rules.moved.limit=1",
            "limiter.rules.moved.window=1h",
            "limiter.rules.moved.key=param:client",
            "limiter.rules.moved.charge-if="
                    + "#{#response.getHeader('Location') != null && #response.getHeader('Location').contains('error')}",
            "limiter.rules.moved-early.paths=/moved-early",
            "limiter.rules.moved-early.phase=request",
            "limiter.rules.moved-early.limit=1",
            "limiter.rules.moved-early.window=1h",
            "limiter.rules.moved-early.key=param:client",
            "limiter.rules.moved-early.charge-if="
                    + "#{#response.getHeader('Location') != null && #response.getHeader('Location').contains('error')}",
            "limiter.rules.untyped.paths=/error-sent,/error-thrown",
            "limiter.rules.untyped.limit=1",
            "limiter.rules.untyped.window=1h",
            "limiter.rules.untyped.charge-if=#{#response.getHeader('Content-Type') == null}",
        })
class HeldAnswerTests extends WebTestSupport {

    @Autowired
    private RateLimiters limiters;

    @Autowired
    private Rules rules;

    static Stream<String> answers() {
        return Stream.of("ascii", "euro", "stream")
                .flatMap(how -> Stream.of(2_730, 2_731, 8_191, 8_192, 8_193)
                        .flatMap(units -> Stream.of("end", "throw", "reset", "reset-buffer", "send-error", "set-status")
                                .map(end -> "how=" + how + "&units=" + units + "&end=" + end)));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void exactlyWhatFailsForTheClientIsCharged(String answer) throws Exception {
        HttpResponse<String> response = get("/written?client=" + answer.replace('&', '.') + "&" + answer);

        boolean failed = response.statusCode() >= 400;
        assertThat(remaining("failed", answer.replace('&', '.'))).isEqualTo(failed ? 0 : 1);
        if (answer.endsWith("end=end")) {
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo(Endpoints.body(answer.contains("euro"), units(answer)));
        }
        if (Endpoints.body(answer.contains("euro"), units(answer)).getBytes(StandardCharsets.UTF_8).length <= 8_192
                && !answer.endsWith("end=end")) {
            assertThat(response.statusCode()).isGreaterThanOrEqualTo(400);
        }
    }

    private static int units(String answer) {
        return Integer.parseInt(answer.replaceAll(".*units=(\\d+).*", "$1"));
    }

    @Test
    void shortAnswersHaveTheirLength() throws Exception {
        HttpResponse<String> response = get("/written?client=short&how=ascii&units=100&end=end");

        assertThat(field(response, "Content-Length")).isEqualTo("100");
    }

    @ParameterizedTest
    @CsvSource({"/moved", "/moved-early"})
    void redirectionsAreToldByWhereTheyLead(String path) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get(path + "?client=a&to=/welcome").statusCode()).isEqualTo(302);
        }
        assertThat(get(path + "?client=a&to=/login?error").statusCode()).isEqualTo(302);
        assertThat(get(path + "?client=a&to=/welcome").statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @CsvSource({"/error-sent, 401", "/error-thrown, 500"})
    void errorPagesAreSeenAsTheyAreSent(String path, int status) throws Exception {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = get(path);
            assertThat(answer.statusCode()).isEqualTo(status);
            assertThat(field(answer, "Content-Type")).startsWith("application/json");
        }
    }

    /** The thread of the asynchronous work and the one of the request write to the same body. */
    @Test
    void bodiesOfTwoThreadsStayInOrder() throws Exception {
        for (int i = 0; i < 50; i++) {
            assertThat(get("/asynchronous?client=async").body()).isEqualTo("begun ended");
        }
    }

    private long remaining(String rule, String client) {
        Rule asked = rules.current().find(rule).orElseThrow().rule();
        return limiters.peek(asked, "param:client=" + client.length() + ":" + client)
                .remaining();
    }

    @RestController
    static class Endpoints {

        static String body(boolean euro, int units) {
            return (euro ? "\u20ac" : "x").repeat(units);
        }

        @GetMapping("/written")
        void written(String how, int units, String end, HttpServletResponse response) throws IOException {
            response.setBufferSize(8_192);
            response.setContentType("text/plain;charset=UTF-8");
            String body = body(how.equals("euro"), units);
            if (how.equals("stream")) {
                response.getOutputStream().write(body.getBytes(StandardCharsets.US_ASCII));
            } else {
                response.getWriter().write(body);
            }
            if (!response.isCommitted()) {
                end(end, response);
            }
        }

        private static void end(String end, HttpServletResponse response) throws IOException {
            switch (end) {
                case "throw" -> throw new IllegalStateException("failed on purpose");
                case "reset" -> response.reset();
                case "reset-buffer" -> response.resetBuffer();
                case "send-error" -> response.sendError(500);
                default -> {}
            }
            if (List.of("reset", "reset-buffer", "set-status").contains(end)) {
                response.setStatus(403);
            }
        }

        @GetMapping("/asynchronous")
        void asynchronous(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("begun ");
            AsyncContext async = request.startAsync();
            new Thread(() -> {
                        try {
                            async.getResponse().getWriter().print("ended");
                        } catch (IOException failure) {
                            throw new UncheckedIOException(failure);
                        }
                        async.complete();
                    })
                    .start();
        }

        @GetMapping({"/moved", "/moved-early"})
        void moved(String to, HttpServletResponse response) throws IOException {
            response.sendRedirect(to);
        }

        @GetMapping("/error-sent")
        void errorSent(HttpServletResponse response) throws IOException {
            response.sendError(401);
        }

        @GetMapping("/error-thrown")
        void errorThrown() {
            throw new IllegalStateException("failed on purpose");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {}
}
