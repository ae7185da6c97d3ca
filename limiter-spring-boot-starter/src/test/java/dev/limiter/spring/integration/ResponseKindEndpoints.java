package dev.limiter.spring.integration;

import dev.limiter.spring.context.ResponseView;
import dev.limiter.testkit.Conditions;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * All kinds of responses, in three areas with different rules. Parameters are scripts: comma-separated steps as in
 * {@link #step}.
 */
@Controller
@RequestMapping({"/{area:free|rule|fail}", "/{area:free|rule|fail}/kept"})
class ResponseKindEndpoints {

    static final String ETAG = "\"05d41402abc4b2a76b9719d911017c592\"";

    private static final String FAIL = "fail";

    private static final class Handled extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    /** The status for which {@code charge-if} was evaluated, by client. */
    static class Seen {

        private final Map<String, List<Integer>> statuses = new ConcurrentHashMap<>();

        public boolean add(String client, ResponseView response) {
            of(client).add(response.status());
            return response.status() >= 400;
        }

        List<Integer> of(String client) {
            return statuses.computeIfAbsent(client, first -> new CopyOnWriteArrayList<>());
        }
    }

    @Bean
    static Seen seen() {
        return new Seen();
    }

    @Bean
    static FilterRegistrationBean<ShallowEtagHeaderFilter> etagFilter() {
        FilterRegistrationBean<ShallowEtagHeaderFilter> registration =
                new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
        for (String area : List.of("/free", "/rule", "/fail")) {
            registration.addUrlPatterns(area + "/etag", area + "/etag-view");
        }
        return registration;
    }

    /** Fails after the handler. */
    @Bean
    static Filter failingFilter() {
        return (request, response, chain) -> {
            chain.doFilter(request, response);
            if (request.getAttribute(FAIL) != null) {
                request.removeAttribute(FAIL);
                throw new ServletException("failed on purpose");
            }
        };
    }

    /** Runs before all other filters. */
    @Bean
    static FilterRegistrationBean<Filter> keepingFilter() {
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
        registration.setName("keeping");
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        registration.addUrlPatterns("/free/kept/*", "/rule/kept/*", "/fail/kept/*");
        return registration;
    }

    /** A servlet that is reached only by name. */
    @Bean
    static ServletRegistrationBean<HttpServlet> namedServlet() {
        HttpServlet servlet = new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                response.getWriter().print("by name");
            }
        };
        ServletRegistrationBean<HttpServlet> registration = new ServletRegistrationBean<>(servlet, "/unused");
        registration.setName("named");
        return registration;
    }

    @GetMapping("/large")
    @ResponseBody
    String large() {
        return "x".repeat(1 << 20);
    }

    @GetMapping("/etag")
    @ResponseBody
    String etag() {
        return "hello";
    }

    /** Spring Security converts this exception to 403, outside of Spring MVC. */
    @GetMapping("/forbidden")
    void forbidden() {
        throw new AccessDeniedException("not you");
    }

    @GetMapping("/filter-failed")
    @ResponseStatus(HttpStatus.OK)
    void filterFailed(HttpServletRequest request) {
        request.setAttribute(FAIL, true);
    }

    @GetMapping("/sse")
    SseEmitter sse() {
        SseEmitter emitter = new SseEmitter();
        Thread handling = Thread.currentThread();
        new Thread(() -> {
                    awaitLeft(handling);
                    try {
                        emitter.send("one");
                        emitter.send("two");
                        emitter.complete();
                    } catch (IOException failure) {
                        emitter.completeWithError(failure);
                    }
                })
                .start();
        return emitter;
    }

    @GetMapping("/streaming-failed")
    StreamingResponseBody streamingFailed() {
        return onceLeft(out -> {
            out.write('x');
            out.flush();
            throw failure();
        });
    }

    @GetMapping("/streaming-failed-early")
    StreamingResponseBody streamingFailedEarly() {
        return onceLeft(out -> {
            out.write('x');
            throw failure();
        });
    }

    /** Spring Security writes header fields when the request leaves its filter, independent of the other thread. */
    private static StreamingResponseBody onceLeft(StreamingResponseBody body) {
        Thread handling = Thread.currentThread();
        return out -> {
            awaitLeft(handling);
            body.writeTo(out);
        };
    }

    @GetMapping("/deferred-timeout")
    DeferredResult<String> deferredTimeout() {
        return new DeferredResult<>(300L);
    }

    @GetMapping("/callable")
    @ResponseBody
    Callable<Void> callable(String first, String s, HttpServletResponse response) throws IOException {
        run(first, response);
        Thread handling = Thread.currentThread();
        return () -> {
            awaitLeft(handling);
            run(s, response);
            return null;
        };
    }

    @GetMapping("/sync")
    void sync(@RequestParam(defaultValue = "") String s, HttpServletResponse response) throws IOException {
        run(s, response);
    }

    @GetMapping({"/view", "/etag-view"})
    String view(@RequestParam(defaultValue = "") String first, HttpServletResponse response) throws IOException {
        run(first, response);
        return "forward:/free/sync";
    }

    @GetMapping("/forward")
    void forward(
            @RequestParam(defaultValue = "") String first,
            @RequestParam(defaultValue = "") String last,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException, ServletException {
        run(first, response);
        request.getRequestDispatcher("/free/sync").forward(request, response);
        run(last, response);
    }

    @GetMapping("/named")
    void named(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
        request.getServletContext().getNamedDispatcher("named").forward(request, response);
    }

    @GetMapping("/include")
    void include(@RequestParam(defaultValue = "") String last, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        request.getRequestDispatcher("/free/sync").include(request, response);
        run(last, response);
    }

    @GetMapping("/async-now")
    void asyncNow(String s, HttpServletRequest request, HttpServletResponse response) throws IOException {
        AsyncContext async = request.startAsync();
        run(s, response);
        async.complete();
    }

    @GetMapping("/non-blocking")
    void nonBlocking(HttpServletRequest request, HttpServletResponse response) throws IOException {
        AsyncContext async = request.startAsync(request, response);
        ServletOutputStream out = response.getOutputStream();
        out.setWriteListener(new WriteListener() {
            private int left = 20;

            @Override
            public void onWritePossible() throws IOException {
                while (out.isReady()) {
                    if (left-- == 0) {
                        async.complete();
                        return;
                    }
                    out.write(new byte[10]);
                }
            }

            @Override
            public void onError(Throwable failure) {
                async.complete();
            }
        });
    }

    /** Continues once the request has left all filters. */
    @GetMapping("/async-later")
    void asyncLater(String first, String s, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        run(first, response);
        AsyncContext async = request.startAsync(request, response);
        Thread handling = Thread.currentThread();
        new Thread(() -> {
                    awaitLeft(handling);
                    try {
                        run(s, (HttpServletResponse) async.getResponse());
                    } catch (IOException failure) {
                        throw new UncheckedIOException(failure);
                    } finally {
                        async.complete();
                    }
                })
                .start();
    }

    /** Waits until the request on that thread has left all filters. */
    private static void awaitLeft(Thread handling) {
        Conditions.await(() -> Arrays.stream(handling.getStackTrace())
                .noneMatch(frame -> frame.getClassName().endsWith("Filter")));
    }

    @GetMapping("/async-dispatch")
    void asyncDispatch(String first, HttpServletRequest request, HttpServletResponse response) throws IOException {
        AsyncContext async = request.startAsync();
        run(first, response);
        async.dispatch("/free/sync");
    }

    @GetMapping("/async-timeout")
    void asyncTimeout(String first, HttpServletRequest request, HttpServletResponse response) throws IOException {
        run(first, response);
        // Jetty never completes a request that times out before its task is registered, see AsyncContextEvent.run()
        request.startAsync().setTimeout(500);
    }

    @GetMapping("/async-throw")
    void asyncThrow(HttpServletRequest request, HttpServletResponse response) {
        request.startAsync();
        throw failure();
    }

    @ExceptionHandler
    ResponseEntity<String> handled(Handled failure) {
        return ResponseEntity.status(418).body("handled");
    }

    private static IllegalStateException failure() {
        return new IllegalStateException("failed on purpose");
    }

    private static void run(String script, HttpServletResponse response) throws IOException {
        if (!script.isEmpty()) {
            for (String step : script.split(",")) {
                step(step.substring(0, 1), step.substring(1), response);
            }
        }
    }

    private static void step(String verb, String rest, HttpServletResponse response) throws IOException {
        switch (verb) {
            case "w" -> response.getOutputStream().print(rest);
            case "b" -> response.getOutputStream().write(new byte[Integer.parseInt(rest)]);
            case "p" -> response.getWriter().print(rest);
            case "n" -> response.getWriter().println(rest);
            case "u" -> writeCharacters(Integer.parseInt(rest), response);
            case "c" -> response.getWriter().close();
            case "f" -> response.flushBuffer();
            case "r" -> response.reset();
            case "o" -> response.resetBuffer();
            case "s" -> response.setStatus(Integer.parseInt(rest));
            case "l" -> response.setContentLength(Integer.parseInt(rest));
            case "m" -> response.sendRedirect(rest);
            case "e" -> response.sendError(Integer.parseInt(rest));
            case "x" -> throw failure();
            case "h" -> throw new Handled();
            default -> throw new IllegalArgumentException(verb);
        }
    }

    private static void writeCharacters(int count, HttpServletResponse response) throws IOException {
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        for (int i = 0; i < count; i++) {
            response.getWriter().write('\u20ac');
        }
    }
}
