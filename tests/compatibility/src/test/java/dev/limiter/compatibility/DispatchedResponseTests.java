package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
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
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

/** The response that the client gets after other dispatches is the one that charge-if is evaluated for. */
@Tag("each-line")
class DispatchedResponseTests {

    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = Applications.start(
                Application.class,
                "server.shutdown=immediate",
                "limiter.rules.failed.paths=/charged/**",
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
        "/charged/view, 200, forwarded",
        "/charged/view-after-writing, 200, forwarded",
        "/charged/forward, 200, forwarded",
        "/charged/reset, 200, after",
        "/charged/include, 200, begun ",
        "/charged/async-complete, 401, begun ended",
        "/charged/async-timeout, 500,",
        "/charged/async-throw, 500,",
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

    /** Tomcat 11 ends the response of such a forward without passing through any filter: it has no fields. */
    @Test
    void responseOfAServletThatIsForwardedToByItsNameArrives() {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = get("/charged/named");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("by name");
        }
    }

    @Test
    void fieldsOfAForwardedRequestSayWhatWasGivenBack() {
        assertThat(get("/charged/view", "fields").headers().firstValue("RateLimit"))
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
    static class Application implements ServletContextInitializer {

        /** A servlet that is reached by its name only. */
        @Override
        public void onStartup(ServletContext context) {
            context.addServlet("named", new HttpServlet() {
                private static final long serialVersionUID = 1L;

                @Override
                protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                    response.getWriter().print("by name");
                }
            });
        }
    }

    @Controller
    static class Endpoints {

        @GetMapping("/charged/view")
        String view() {
            return "forward:/forwarded";
        }

        @GetMapping("/charged/view-after-writing")
        String viewAfterWriting(HttpServletResponse response) throws IOException {
            response.getWriter().print("never sent");
            return "forward:/forwarded";
        }

        @GetMapping("/charged/forward")
        void forward(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            request.getRequestDispatcher("/forwarded").forward(request, response);
        }

        @GetMapping("/charged/named")
        void named(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            request.getServletContext().getNamedDispatcher("named").forward(request, response);
        }

        @GetMapping("/forwarded")
        void forwarded(HttpServletResponse response) throws IOException {
            response.getWriter().print("forwarded");
        }

        @GetMapping("/charged/reset")
        void reset(HttpServletResponse response) throws IOException {
            response.getOutputStream().print("before");
            response.reset();
            response.getOutputStream().print("after");
        }

        @GetMapping("/charged/include")
        void include(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            response.getWriter().print("begun ");
            request.getRequestDispatcher("/included").include(request, response);
        }

        @GetMapping("/included")
        void included(HttpServletResponse response) throws IOException {
            response.sendError(404);
        }

        @GetMapping("/charged/async-complete")
        void asyncComplete(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("begun ");
            AsyncContext async = request.startAsync();
            HttpServletResponse answer = (HttpServletResponse) async.getResponse();
            answer.setStatus(401);
            answer.getWriter().print("ended");
            async.start(async::complete);
        }

        @GetMapping("/charged/async-timeout")
        void asyncTimeout(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("never sent");
            request.startAsync().setTimeout(500);
        }

        @GetMapping("/charged/async-throw")
        void asyncThrow(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("never sent");
            request.startAsync();
            throw new IllegalStateException("failed on purpose");
        }
    }
}
