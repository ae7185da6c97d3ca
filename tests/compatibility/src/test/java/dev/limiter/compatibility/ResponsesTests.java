package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
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
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import org.springframework.web.servlet.view.RedirectView;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Responses on each line of Spring Boot: they arrive, have the RateLimit fields, and are counted by {@code charge-if}
 * if they failed. {@code ResponseKindTests} of the starter compare more kinds byte by byte, on one line.
 */
@Tag("each-line")
class ResponsesTests {

    private static ConfigurableApplicationContext application;
    private static Clients clients;

    @BeforeAll
    static void start() {
        application = Applications.start(
                Application.class,
                Applications.limiter(
                        """
                        web: { headers: both }
                        rules:
                          early: { paths: /**, phase: request, limit: 1000, window: 30d }
                          failures: { paths: /**, key: "header:X-Api-Key", limit: 1, window: 30d, charge-if: failed }
                          # a server may put its own address before the path
                          moved:
                            { paths: "/sent,/sent-303", key: "header:X-Api-Key", limit: 1, window: 30d,
                              charge-if: "#{#response.getHeader('Location').endsWith('/error')}" }
                        """,
                        // Tomcat counts a request as active until its timeout if its handler throws after startAsync(),
                        // with or without limits
                        "server.shutdown=immediate"));
        clients = Applications.clientsOf(application);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    /** Redirects have no RateLimit fields, so that clients without remaining permits still follow them at once. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        /view?name=redirect:/text         | 302 |
        /redirect-view                    | 302 |
        /sent                             | 302 |
        /entity?status=308                | 308 |
        /callable?status=302              | 302 |
        /deferred?status=303              | 303 |
        /outer?to=/callable?status=302    | 302 |
        /inner                            | 302 |
        /unchanged                        | 304 |
        /etag?text=1                      | 304 |
        /print?status=302                 | 302 |
        /print?to=/text                   | 302 |
        /include?of=/sent&to=/text        | 302 |
        /text                             | 200 | text
        /etag?text=2                      | 200 | 2
        /entity?status=204                | 204 | ''
        /entity?status=401                | 401 | answer
        /error-sent                       | 409 |
        /unhandled                        | 500 |
        /unknown                          | 404 |
        /callable?status=200              | 200 | answer
        /callable?status=401              | 401 | answer
        /deferred?status=401              | 401 | answer
        /streaming?status=200             | 200 | streamed
        /streaming?status=401             | 401 | streamed
        /large?status=401                 | 401 |
        /print?status=200                 | 200 | printed
        /undone                           | 200 | text
        /reset                            | 200 | after
        /view?name=forward:/text          | 200 | text
        /forward?to=/text                 | 200 | text
        /forward?to=/entity?status=401    | 401 | answer
        /include?of=/text                 | 200 | begun text
        /include?of=/error-sent           | 200 | begun
        /include?of=/sent                 | 200 | begun
        /async-later                      | 200 | later
        /async-complete                   | 401 | begun ended
        /async-timeout                    | 500 |
        /async-throw                      | 500 |
        /wrapped/text                     | 200 | text
        /wrapped/async-later              | 200 | later
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

    /** Tomcat 11 ends the response of such a forward without calling a filter, so it has no fields. */
    @Test
    void responseOfAServletThatIsForwardedToByItsNameArrives() {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/named").body()).isEqualTo("by name");
        }
    }

    private static HttpResponse<String> get(String path) {
        return get(path, path);
    }

    private static HttpResponse<String> get(String path, String key) {
        String tag = path.startsWith("/etag") ? "\"0c4ca4238a0b923820dcc509a6f75849b\"" : "\"1\"";
        return clients.get(path, "X-Api-Key", key, "If-None-Match", tag);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class})
    static class Application implements ServletContextInitializer {

        /** Adds a servlet that is reached only by name. */
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

        @Bean
        FilterRegistrationBean<Filter> etags() {
            return filter(new ShallowEtagHeaderFilter(), Ordered.LOWEST_PRECEDENCE, "/etag");
        }

        /** Wraps all other filters, and buffers the body until the request is complete. */
        @Bean
        FilterRegistrationBean<Filter> wrapping() {
            Filter wrapping = (request, response, chain) -> {
                ContentCachingResponseWrapper kept = new ContentCachingResponseWrapper((HttpServletResponse) response);
                chain.doFilter(request, kept);
                if (!request.isAsyncStarted()) {
                    kept.copyBodyToResponse();
                }
            };
            return filter(wrapping, Ordered.HIGHEST_PRECEDENCE, "/wrapped/*");
        }

        /** Runs before the filters that wrap the response, and forwards with the original response. */
        @Bean
        FilterRegistrationBean<Filter> outer() {
            Filter forwarding = (request, response, chain) ->
                    request.getRequestDispatcher(request.getParameter("to")).forward(request, response);
            return filter(forwarding, Ordered.HIGHEST_PRECEDENCE + 1, "/outer");
        }

        @Bean
        FilterRegistrationBean<Filter> inner() {
            Filter redirecting =
                    (request, response, chain) -> ((HttpServletResponse) response).sendRedirect("/elsewhere");
            return filter(redirecting, Ordered.LOWEST_PRECEDENCE, "/inner");
        }

        private static FilterRegistrationBean<Filter> filter(Filter filter, int order, String path) {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
            registration.setOrder(order);
            registration.addUrlPatterns(path);
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

        @GetMapping("/redirect-view")
        RedirectView redirectView() {
            return new RedirectView("/elsewhere");
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

        @GetMapping("/streaming")
        ResponseEntity<StreamingResponseBody> streaming(int status) {
            return ResponseEntity.status(status).body(out -> out.write("streamed".getBytes(StandardCharsets.US_ASCII)));
        }

        @GetMapping("/unchanged")
        @ResponseBody
        @Nullable
        String unchanged(WebRequest request) {
            return request.checkNotModified("1") ? null : "changed";
        }

        @GetMapping("/etag")
        @ResponseBody
        String etag(String text) {
            return text;
        }

        @GetMapping({"/text", "/wrapped/text"})
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

        @GetMapping("/large")
        void large(int status, HttpServletResponse response) throws IOException {
            response.setStatus(status);
            response.getWriter().write("x".repeat(100_000));
        }

        @GetMapping("/print")
        void print(
                @RequestParam(defaultValue = "200") int status,
                @RequestParam(required = false) @Nullable String to,
                HttpServletResponse response)
                throws IOException {
            response.getOutputStream().print("printed");
            if (to == null) {
                response.setStatus(status);
            } else {
                response.sendRedirect(to);
            }
        }

        @GetMapping("/undone")
        void undone(HttpServletResponse response) throws IOException {
            response.setStatus(302);
            response.getWriter().print("text");
            response.setStatus(200);
        }

        @GetMapping("/reset")
        void reset(HttpServletResponse response) throws IOException {
            response.getOutputStream().print("before");
            response.reset();
            response.getOutputStream().print("after");
        }

        @GetMapping("/forward")
        void forward(String to, HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            request.getRequestDispatcher(to).forward(request, response);
        }

        @GetMapping("/named")
        void named(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            request.getServletContext().getNamedDispatcher("named").forward(request, response);
        }

        @GetMapping("/include")
        void include(
                String of,
                @RequestParam(required = false) @Nullable String to,
                HttpServletRequest request,
                HttpServletResponse response)
                throws IOException, ServletException {
            response.getWriter().print("begun ");
            request.getRequestDispatcher(of).include(request, response);
            if (to != null) {
                response.sendRedirect(to);
            }
        }

        @GetMapping({"/async-later", "/wrapped/async-later"})
        void asyncLater(HttpServletRequest request, HttpServletResponse response) {
            AsyncContext async = request.startAsync();
            async.start(() -> {
                try {
                    async.getResponse().getWriter().write("later");
                } catch (IOException gone) {
                    throw new UncheckedIOException(gone);
                }
                async.complete();
            });
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

        @GetMapping("/async-timeout")
        void asyncTimeout(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("never sent");
            request.startAsync().setTimeout(100);
        }

        @GetMapping("/async-throw")
        void asyncThrow(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("never sent");
            request.startAsync();
            throw new IllegalStateException("failed on purpose");
        }
    }
}
