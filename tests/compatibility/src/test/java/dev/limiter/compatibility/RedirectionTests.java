package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Conditions;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import org.springframework.web.servlet.view.RedirectView;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** A client that has nothing left must follow a redirection at once: such an answer tells of no limits. */
class RedirectionTests {

    private static final List<ConfigurableApplicationContext> APPLICATIONS = new ArrayList<>();

    @BeforeAll
    static void start() {
        APPLICATIONS.add(start("limiter.rules.all.headers=both"));
        APPLICATIONS.add(start("limiter.rules.all.charge-if=failed"));
    }

    private static ConfigurableApplicationContext start(String property) {
        return Applications.start(
                Application.class,
                property,
                "limiter.web.headers=both",
                "limiter.rules.all.paths=/**",
                "limiter.rules.all.limit=1000",
                "limiter.rules.all.window=30d",
                "limiter.rules.early.paths=/**",
                "limiter.rules.early.phase=request",
                "limiter.rules.early.limit=1000",
                "limiter.rules.early.window=30d");
    }

    @AfterAll
    static void stop() {
        APPLICATIONS.forEach(ConfigurableApplicationContext::close);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/redirect/view",
                "/redirect/name",
                "/redirect/sent",
                "/redirect/entity",
                "/redirect/callable",
                "/redirect/deferred",
                "/redirect/forwarded?to=/redirect/callable",
                "/redirect/forwarded?to=/redirect/deferred",
                "/redirect/filter",
                "/redirect/not-modified",
                "/redirect/unchanged",
                "/redirect/etag",
                "/redirect/writer",
                "/redirect/stream",
                "/redirect/printed",
                "/redirect/streamed",
                "/redirect/printed-status",
                "/redirect/etag-flushed",
                "/redirect/included"
            })
    void redirectionTellsOfNoLimits(String path) {
        for (ConfigurableApplicationContext application : APPLICATIONS) {
            HttpResponse<String> answer = Applications.clientsOf(application)
                    .get(
                            path,
                            "If-None-Match",
                            path.equals("/redirect/etag") ? "\"0c4ca4238a0b923820dcc509a6f75849b\"" : "\"1\"");

            assertThat(answer.statusCode()).isBetween(300, 399);
            assertThat(answer.headers().map().keySet())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("ratelimit"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/other/text",
                "/other/empty",
                "/other/writer",
                "/other/print",
                "/other/writer-closed",
                "/other/stream-closed",
                "/other/etag",
                "/other/no-content",
                "/other/rejected",
                "/other/error-sent",
                "/other/unhandled",
                "/other/unknown",
                "/other/callable",
                "/other/stream",
                "/other/servlet-async",
                "/other/servlet-async-empty",
                "/other/servlet-async-reset",
                "/other/undone",
                "/other/large",
                "/other/large-text",
                "/other/length-first",
                "/other/length-last",
                "/other/reset",
                "/other/printed-reset",
                "/other/forwarding?to=/other/empty",
                "/other/forwarding?to=/other/no-content",
                "/other/forwarding?to=/other/text",
                "/other/including?to=/other/text",
                "/other/including?to=/other/large",
                "/other/including?to=/redirect/sent",
                "/wrapped/text",
                "/wrapped/including?to=/other/text",
                "/wrapped/servlet-async"
            })
    void anyOtherAnswerDoes(String path) {
        for (ConfigurableApplicationContext application : APPLICATIONS) {
            HttpResponse<String> answer = Applications.clientsOf(application).get(path);

            assertThat(answer.statusCode() / 100).isNotEqualTo(3);
            assertThat(answer.headers().allValues("RateLimit")).hasSize(1);
            assertThat(answer.headers().allValues("RateLimit-Policy"))
                    .allSatisfy(policies -> assertThat(policies).contains("\"early\""))
                    .hasSize(1);
            assertThat(answer.headers().allValues("X-RateLimit-Limit")).hasSize(1);
        }
    }

    /** Asynchronous work writes to the response of the container where it names no other. */
    @ParameterizedTest
    @ValueSource(strings = {"/other/servlet-async", "/wrapped/servlet-async"})
    void bodyOfAsynchronousWorkArrives(String path) {
        for (ConfigurableApplicationContext application : APPLICATIONS) {
            assertThat(Applications.clientsOf(application).get(path).body()).isEqualTo("later");
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class})
    static class Application {

        @Bean
        FilterRegistrationBean<ShallowEtagHeaderFilter> etags() {
            FilterRegistrationBean<ShallowEtagHeaderFilter> filter =
                    new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
            filter.addUrlPatterns("/redirect/etag", "/redirect/etag-flushed", "/other/etag");
            return filter;
        }

        /** Stands around all others, and keeps the body to itself while the request is under way. */
        @Bean
        FilterRegistrationBean<Filter> collectingFilter() {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) -> {
                ContentCachingResponseWrapper collected =
                        new ContentCachingResponseWrapper((HttpServletResponse) response);
                chain.doFilter(request, collected);
                if (!request.isAsyncStarted()) {
                    collected.copyBodyToResponse();
                }
            });
            filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
            filter.addUrlPatterns("/wrapped/*");
            return filter;
        }

        /** Stands around the filters that wrap the response, and forwards with the one that it gets. */
        @Bean
        FilterRegistrationBean<Filter> forwardingFilter() {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) ->
                    request.getRequestDispatcher(request.getParameter("to")).forward(request, response));
            filter.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
            filter.addUrlPatterns("/redirect/forwarded");
            return filter;
        }

        @Bean
        Filter redirectingFilter() {
            return (request, response, chain) -> {
                if (((HttpServletRequest) request).getRequestURI().equals("/redirect/filter")) {
                    ((HttpServletResponse) response).sendRedirect("/other/text");
                } else {
                    chain.doFilter(request, response);
                }
            };
        }
    }

    @Controller
    static class Endpoints {

        @GetMapping({"/redirect/etag", "/other/etag"})
        @ResponseBody
        String etag() {
            return "1";
        }

        @GetMapping("/redirect/writer")
        void redirectAfterWriter(HttpServletResponse response) throws IOException {
            response.getWriter();
            response.sendRedirect("/other/text");
        }

        @GetMapping("/redirect/stream")
        void redirectAfterStream(HttpServletResponse response) throws IOException {
            response.getOutputStream();
            response.setStatus(302);
            response.setHeader("Location", "/other/text");
        }

        @GetMapping({"/redirect/printed", "/redirect/included"})
        void redirectAfterPrinting(HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            response.getWriter().print("gone");
            if (request.getRequestURI().equals("/redirect/included")) {
                request.getRequestDispatcher("/redirect/sent").include(request, response);
            }
            response.sendRedirect("/other/text");
        }

        @GetMapping("/redirect/streamed")
        void redirectAfterStreaming(HttpServletResponse response) throws IOException {
            response.getOutputStream().print("gone");
            response.sendRedirect("/other/text");
        }

        @GetMapping("/redirect/printed-status")
        void statusAfterPrinting(HttpServletResponse response) throws IOException {
            response.getWriter().print("moved");
            response.setStatus(302);
            response.setHeader("Location", "/other/text");
        }

        @GetMapping("/redirect/etag-flushed")
        void redirectAfterFlushing(HttpServletResponse response) throws IOException {
            response.getWriter().print("gone");
            response.flushBuffer();
            response.sendRedirect("/other/text");
        }

        @GetMapping("/other/undone")
        void undone(HttpServletResponse response) throws IOException {
            response.setStatus(302);
            response.getWriter().print("text");
            response.setStatus(200);
        }

        @GetMapping("/other/large")
        void large(HttpServletResponse response) throws IOException {
            response.getOutputStream().write(new byte[20_000]);
        }

        @GetMapping("/other/large-text")
        void largeText(HttpServletResponse response) throws IOException {
            for (int i = 0; i < 20_000; i++) {
                response.getWriter().write('\u20ac');
            }
        }

        @GetMapping("/other/length-first")
        void lengthFirst(HttpServletResponse response) throws IOException {
            response.setHeader("Content-Length", "4");
            response.getOutputStream().print("text");
        }

        @GetMapping("/other/length-last")
        void lengthLast(HttpServletResponse response) throws IOException {
            response.getOutputStream().print("text");
            response.setContentLength(4);
        }

        @GetMapping("/other/reset")
        void reset(HttpServletResponse response) throws IOException {
            response.reset();
            response.getWriter().print("text");
        }

        @GetMapping("/other/printed-reset")
        void resetAfterPrinting(HttpServletResponse response) throws IOException {
            response.setContentLength(20);
            response.getWriter().print("gone");
            response.reset();
        }

        @GetMapping("/other/forwarding")
        void forwarding(String to, HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            request.getRequestDispatcher(to).forward(request, response);
        }

        @GetMapping({"/other/including", "/wrapped/including"})
        void including(String to, HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            request.getRequestDispatcher(to).include(request, response);
        }

        @GetMapping("/other/writer")
        void writer(HttpServletResponse response) throws IOException {
            response.getWriter().append("text").append('s').write('!');
            response.flushBuffer();
        }

        @GetMapping("/other/print")
        void print(HttpServletResponse response) throws IOException {
            response.getOutputStream().println("text");
            response.flushBuffer();
        }

        @GetMapping("/other/writer-closed")
        void writerClosed(HttpServletResponse response) throws IOException {
            response.getWriter().close();
        }

        @GetMapping("/other/stream-closed")
        void streamClosed(HttpServletResponse response) throws IOException {
            response.getOutputStream().close();
        }

        @GetMapping("/redirect/view")
        RedirectView view() {
            return new RedirectView("/other/text");
        }

        @GetMapping("/redirect/name")
        String name() {
            return "redirect:/other/text";
        }

        @GetMapping("/redirect/sent")
        void sent(HttpServletResponse response) throws IOException {
            response.sendRedirect("/other/text");
        }

        @GetMapping("/redirect/entity")
        ResponseEntity<String> entity() {
            return ResponseEntity.status(HttpStatus.PERMANENT_REDIRECT)
                    .header("Location", "/other/text")
                    .body("moved");
        }

        @GetMapping("/redirect/callable")
        Callable<RedirectView> redirectingCallable() {
            return this::view;
        }

        @GetMapping("/redirect/deferred")
        DeferredResult<ResponseEntity<String>> deferred() {
            DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
            result.setResult(entity());
            return result;
        }

        @GetMapping("/redirect/not-modified")
        ResponseEntity<Void> notModified() {
            return ResponseEntity.status(HttpStatus.NOT_MODIFIED).build();
        }

        @GetMapping("/redirect/unchanged")
        @ResponseBody
        String unchanged(WebRequest request) {
            return request.checkNotModified("1") ? null : "changed";
        }

        @GetMapping({"/other/text", "/wrapped/text"})
        @ResponseBody
        String text() {
            return "text";
        }

        @GetMapping("/other/empty")
        @ResponseStatus(HttpStatus.OK)
        void empty() {}

        @GetMapping("/other/no-content")
        ResponseEntity<Void> noContent() {
            return ResponseEntity.noContent().build();
        }

        @GetMapping("/other/rejected")
        ResponseEntity<String> rejected() {
            return ResponseEntity.badRequest().body("no");
        }

        @GetMapping("/other/error-sent")
        void errorSent(HttpServletResponse response) throws IOException {
            response.sendError(409);
        }

        @GetMapping("/other/unhandled")
        void unhandled() {
            throw new IllegalStateException("Nobody handles this");
        }

        @GetMapping("/other/callable")
        @ResponseBody
        Callable<String> callable() {
            return () -> "later";
        }

        @GetMapping("/other/stream")
        StreamingResponseBody stream() {
            return out -> out.write(new byte[20_000]);
        }

        @GetMapping({"/other/servlet-async", "/wrapped/servlet-async"})
        void servletAsync(HttpServletRequest request, HttpServletResponse response) {
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

        /** Resets the answer once no filter has the request any more. */
        @GetMapping("/other/servlet-async-reset")
        void servletAsyncReset(HttpServletRequest request, HttpServletResponse response) {
            AsyncContext async = request.startAsync(request, response);
            Thread handling = Thread.currentThread();
            async.start(() -> {
                Conditions.await(() -> Arrays.stream(handling.getStackTrace())
                        .noneMatch(frame -> frame.getClassName().endsWith("Filter")));
                response.reset();
                async.complete();
            });
        }

        @GetMapping("/other/servlet-async-empty")
        void servletAsyncEmpty(HttpServletRequest request) {
            AsyncContext async = request.startAsync();
            async.start(async::complete);
        }
    }
}
