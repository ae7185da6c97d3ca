package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

/** With charge-if, clients get the answers that they would get without; and these are what counts. */
@Tag("each-line")
class HeldAnswerTests {

    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = Applications.start(
                Application.class,
                "server.shutdown=immediate",
                "limiter.rules.failed.paths=/held/**",
                "limiter.rules.failed.key=header:X-Api-Key",
                "limiter.rules.failed.limit=2",
                "limiter.rules.failed.window=30d",
                "limiter.rules.failed.charge-if=failed");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/held/view, 200, forwarded",
        "/held/view-after-writing, 200, forwarded",
        "/held/forward, 200, forwarded",
        "/held/reset, 200, after",
        "/held/include, 200, begun ",
        "/held/async-complete, 401, begun ended",
        "/held/async-timeout, 500,",
        "/held/async-throw, 500,",
    })
    void answerCountsAsItIsSent(String path, int status, String body) {
        HttpResponse<String> answer = get(path);

        assertThat(answer.statusCode()).isEqualTo(status);
        if (body != null) {
            assertThat(answer.body().strip()).isEqualTo(body.strip());
        }
        assertThat(get(path).statusCode()).isEqualTo(status);
        assertThat(get(path).statusCode()).isEqualTo(status < 400 ? status : 429);
    }

    /** Some containers have sent the redirection by then. */
    @ParameterizedTest
    @CsvSource({"/held/redirect-throw", "/held/forward-throw"})
    void answerThatFailsLaterCountsAsItIsSent(String path) {
        int status = get(path).statusCode();

        assertThat(get(path).statusCode()).isEqualTo(status);
        assertThat(get(path).statusCode()).isEqualTo(status < 400 ? status : 429);
    }

    @Test
    void fieldsOfAForwardedRequestSayWhatWasGivenBack() {
        assertThat(get("/held/view", "fields").headers().firstValue("RateLimit"))
                .hasValue("\"failed\";r=2;t=2592000");
    }

    private static HttpResponse<String> get(String path) {
        return get(path, path);
    }

    private static HttpResponse<String> get(String path, String key) {
        return Applications.clientsOf(application).get(path, "X-Api-Key", key);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class})
    static class Application {}

    @Controller
    static class Endpoints {

        @GetMapping("/held/view")
        String view() {
            return "forward:/forwarded";
        }

        @GetMapping("/held/view-after-writing")
        String viewAfterWriting(HttpServletResponse response) throws IOException {
            response.getWriter().print("never sent");
            return "forward:/forwarded";
        }

        @GetMapping({"/held/forward", "/held/forward-throw"})
        void forward(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            String path = request.getRequestURI();
            request.getRequestDispatcher("/forwarded").forward(request, response);
            if (path.endsWith("throw")) {
                throw new IllegalStateException("failed on purpose");
            }
        }

        @GetMapping("/forwarded")
        void forwarded(HttpServletResponse response) throws IOException {
            response.getWriter().print("forwarded");
        }

        @GetMapping("/held/reset")
        void reset(HttpServletResponse response) throws IOException {
            response.getOutputStream().print("before");
            response.reset();
            response.getOutputStream().print("after");
        }

        @GetMapping("/held/include")
        void include(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            response.getWriter().print("begun ");
            request.getRequestDispatcher("/included").include(request, response);
        }

        @GetMapping("/included")
        void included(HttpServletResponse response) throws IOException {
            response.sendError(404);
        }

        @GetMapping("/held/redirect-throw")
        void redirectAndThrow(HttpServletResponse response) throws IOException {
            response.sendRedirect("/elsewhere");
            throw new IllegalStateException("failed on purpose");
        }

        @GetMapping("/held/async-complete")
        void asyncComplete(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("begun ");
            AsyncContext async = request.startAsync();
            HttpServletResponse answer = (HttpServletResponse) async.getResponse();
            answer.setStatus(401);
            answer.getWriter().print("ended");
            async.start(async::complete);
        }

        @GetMapping("/held/async-timeout")
        void asyncTimeout(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("never sent");
            request.startAsync().setTimeout(500);
        }

        @GetMapping("/held/async-throw")
        void asyncThrow(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("never sent");
            request.startAsync();
            throw new IllegalStateException("failed on purpose");
        }
    }
}
