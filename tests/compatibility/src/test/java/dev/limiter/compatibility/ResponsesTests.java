package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.context.request.async.DeferredResult;

/**
 * Responses on each line of Spring Boot: they arrive, have the RateLimit fields, and are counted by {@code charge-if}
 * if they failed. {@code ResponseKindTests} of the starter compare more kinds byte by byte, on one line.
 */
@Tag("each-line")
class ResponsesTests {

    @AutoClose
    private static final ConfigurableApplicationContext application =
            Applications.start(Application.class, Applications.limiter("""
                        web: { headers: both }
                        rules:
                          early: { paths: /**, phase: request, limit: 1000, window: 30d }
                          failures: { paths: /**, key: "header:X-Api-Key", limit: 1, window: 30d, charge-if: failed }
                          # a server may put its own address before the path
                          moved:
                            { paths: "/sent,/sent-303", key: "header:X-Api-Key", limit: 1, window: 30d,
                              charge-if: "#{#response.getHeader('Location').endsWith('/error')}" }
                        """));

    private static final Clients clients = Applications.clientsOf(application);

    /** Redirects have no RateLimit fields, so that clients without remaining permits still follow them at once. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        /view?name=redirect:/text         | 302 |
        /entity?status=308                | 308 |
        /callable?status=302              | 302 |
        /deferred?status=303              | 303 |
        /outer?to=/callable?status=302    | 302 |
        /unchanged                        | 304 |
        /text                             | 200 | text
        /entity?status=401                | 401 | answer
        /error-sent                       | 409 |
        /unhandled                        | 500 |
        /unknown                          | 404 |
        /deferred?status=401              | 401 | answer
        /view?name=forward:/text          | 200 | text
        /forward?to=/entity?status=401    | 401 | answer
        /include?of=/text                 | 200 | begun text
        /include?of=/error-sent           | 200 | begun
        /include?of=/sent                 | 200 | begun
        /callable?status=401              | 401 | answer
        /sent                             | 302 |
        /async-complete                   | 401 | begun ended
        """)
    void arrivesHasFieldsAndCountsIfItFailed(String path, int status, @Nullable String body) {
        HttpResponse<String> answer = get(path);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        if (body != null) {
            assertThat(answer.body().strip()).isEqualTo(body);
        }
        if (status / 100 == 3) {
            assertThat(answer.headers().map().keySet()).noneMatch(name -> name.matches("(?i).*ratelimit.*"));
        } else {
            String left = (status < 400 ? 1 : 0) + ";t=2592000";
            assertThat(answer.headers().allValues("RateLimit"))
                    .singleElement()
                    .asString()
                    .contains("\"early\";r=", "\"failures\";r=" + left);
            assertThat(answer.headers().allValues("RateLimit-Policy")).hasSize(1);
            assertThat(answer.headers().allValues("X-RateLimit-Limit")).hasSize(1);
        }
        assertThat(get(path).statusCode()).isEqualTo(status < 400 ? status : 429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/sent", "/sent-303"})
    void redirectionCountsByWhereItLeads(String path) {
        String key = "to" + path;
        for (int i = 0; i < 3; i++) {
            assertThat(get(path, key).statusCode()).isBetween(300, 399);
        }
        assertThat(get(path + "?to=/error", key).statusCode()).isBetween(300, 399);
        assertThat(get(path, key).statusCode()).isEqualTo(429);
    }

    private static HttpResponse<String> get(String path) {
        return get(path, path);
    }

    private static HttpResponse<String> get(String path, String key) {
        return clients.get(path, "X-Api-Key", key, "If-None-Match", "\"1\"");
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class})
    static class Application {

        /** Runs before the filters that wrap the response, and forwards with the original response. */
        @Bean
        FilterRegistrationBean<Filter> outer() {
            Filter forwarding = (request, response, chain) ->
                    request.getRequestDispatcher(request.getParameter("to")).forward(request, response);
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(forwarding);
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
            registration.addUrlPatterns("/outer");
            return registration;
        }
    }

    @Controller
    static class Endpoints {

        @GetMapping("/view")
        String view(String name, HttpServletResponse response) throws IOException {
            response.getWriter().print("never sent");
            return name;
        }

        @GetMapping("/sent")
        void sent(@RequestParam(defaultValue = "/elsewhere") String to, HttpServletResponse response)
                throws IOException {
            response.sendRedirect(to);
        }

        /** Uses the method of Servlet 6.1 if available. */
        @GetMapping("/sent-303")
        void seeOther(@RequestParam(defaultValue = "/elsewhere") String to, HttpServletResponse response)
                throws ReflectiveOperationException, IOException {
            Method send =
                    ReflectionUtils.findMethod(HttpServletResponse.class, "sendRedirect", String.class, int.class);
            if (send == null) {
                response.sendRedirect(to);
            } else {
                send.invoke(response, to, 303);
            }
        }

        @GetMapping("/entity")
        ResponseEntity<String> entity(int status) {
            return ResponseEntity.status(status)
                    .header("Location", "/elsewhere")
                    .body(status == 204 ? null : "answer");
        }

        @GetMapping("/callable")
        Callable<ResponseEntity<String>> callable(int status) {
            return () -> entity(status);
        }

        @GetMapping("/deferred")
        DeferredResult<ResponseEntity<String>> deferred(int status) {
            DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
            new Thread(() -> result.setResult(entity(status))).start();
            return result;
        }

        @GetMapping("/unchanged")
        @ResponseBody
        @Nullable
        String unchanged(WebRequest request) {
            return request.checkNotModified("1") ? null : "changed";
        }

        @GetMapping("/text")
        void text(HttpServletResponse response) throws IOException {
            response.getWriter().print("text");
        }

        @GetMapping("/error-sent")
        void errorSent(HttpServletResponse response) throws IOException {
            response.sendError(409);
        }

        @GetMapping("/unhandled")
        void unhandled() {
            throw new IllegalStateException("failed on purpose");
        }

        @GetMapping("/forward")
        void forward(String to, HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            request.getRequestDispatcher(to).forward(request, response);
        }

        @GetMapping("/include")
        void include(String of, HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            response.getWriter().print("begun ");
            request.getRequestDispatcher(of).include(request, response);
        }

        @GetMapping("/async-complete")
        void asyncComplete(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("begun ");
            AsyncContext async = request.startAsync();
            HttpServletResponse answer = (HttpServletResponse) async.getResponse();
            answer.setStatus(401);
            answer.getWriter().print("ended");
            async.start(async::complete);
        }
    }
}
