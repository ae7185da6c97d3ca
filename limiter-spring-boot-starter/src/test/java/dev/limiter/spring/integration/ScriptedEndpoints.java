package dev.limiter.spring.integration;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.testkit.Conditions;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;

/** Endpoints that do with their response what the request says: steps, as of {@link #step}, with commas between. */
@Controller
class ScriptedEndpoints {

    /** How many fields a thread writes. */
    static final int FIELDS = 100;

    private static final String FIELDS_AFTER = "fieldsAfter";

    private static final class Handled extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    /** The status that {@code charge-if} was asked about, of each client. */
    static class Seen {

        private final Map<String, List<Integer>> statuses = new ConcurrentHashMap<>();

        public boolean add(String client, ResponseView answer) {
            of(client).add(answer.status());
            return answer.status() >= 400;
        }

        List<Integer> of(String client) {
            return statuses.computeIfAbsent(client, first -> new CopyOnWriteArrayList<>());
        }
    }

    @Bean
    static Seen seen() {
        return new Seen();
    }

    /** Does the steps of the parameter {@code before} before the endpoint is known. */
    @Bean
    static FilterRegistrationBean<Filter> scriptedFilter() {
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
            run(request.getParameter("before"), (HttpServletResponse) response);
            chain.doFilter(request, response);
            if (request.getAttribute(FIELDS_AFTER) instanceof CyclicBarrier both) {
                writeFields("f", both, (HttpServletResponse) response);
            }
        });
        registration.setOrder(100);
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
        return registration;
    }

    /** Stands around all others. */
    @Bean
    static FilterRegistrationBean<ShallowEtagHeaderFilter> holdingFilter() {
        FilterRegistrationBean<ShallowEtagHeaderFilter> registration =
                new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        registration.addUrlPatterns("/script/held/*");
        return registration;
    }

    /** Containers keep fields in plain arrays: no filter writes any while asynchronous work may. */
    @Bean
    @Order(1)
    static SecurityFilterChain withoutFields(HttpSecurity http) throws Exception {
        return http.securityMatcher("/script/async")
                .csrf(AbstractHttpConfigurer::disable)
                .headers(AbstractHttpConfigurer::disable)
                .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .build();
    }

    @GetMapping({"/script/sync", "/plain/sync"})
    void sync(@RequestParam(defaultValue = "") String s, HttpServletResponse response)
            throws IOException, ServletException {
        run(s, response);
    }

    @GetMapping("/script/view")
    String view(@RequestParam(defaultValue = "") String first, HttpServletResponse response)
            throws IOException, ServletException {
        run(first, response);
        return "forward:/script/sync";
    }

    @GetMapping("/script/forward")
    void forward(
            @RequestParam(defaultValue = "") String first,
            @RequestParam(defaultValue = "") String last,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException, ServletException {
        run(first, response);
        request.getRequestDispatcher("/script/sync").forward(request, response);
        run(last, response);
    }

    @GetMapping("/script/include")
    void include(@RequestParam(defaultValue = "") String last, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        request.getRequestDispatcher("/script/sync").include(request, response);
        run(last, response);
    }

    @GetMapping("/script/async")
    void async(String s, HttpServletRequest request, HttpServletResponse response) {
        AsyncContext async = request.startAsync();
        new Thread(() -> complete(async, s)).start();
    }

    /** Two threads write fields at once: that of the work, and that of the request in a filter. */
    @GetMapping("/script/async-fields")
    void asyncFields(HttpServletRequest request, HttpServletResponse response) {
        CyclicBarrier both = new CyclicBarrier(2);
        request.setAttribute(FIELDS_AFTER, both);
        AsyncContext async = request.startAsync();
        Thread handling = Thread.currentThread();
        new Thread(() -> {
                    writeFields("w", both, (HttpServletResponse) async.getResponse());
                    awaitLeft(handling);
                    async.complete();
                })
                .start();
    }

    private static void writeFields(String prefix, CyclicBarrier both, HttpServletResponse response) {
        try {
            both.await();
            for (int i = 0; i < FIELDS; i++) {
                response.setHeader(prefix + i, "1");
            }
            both.await();
        } catch (InterruptedException | BrokenBarrierException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Waits until no filter has the request of that thread any more: one of them may ask for its asynchronous work. */
    private static void awaitLeft(Thread handling) {
        Conditions.await(() -> Arrays.stream(handling.getStackTrace())
                .noneMatch(frame -> frame.getClassName().endsWith("Filter")));
    }

    /** Goes on once no filter has the request any more. */
    @GetMapping({"/script/async-later", "/script/held/async-later"})
    void asyncLater(String first, String s, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        run(first, response);
        AsyncContext async = request.startAsync(request, response);
        Thread handling = Thread.currentThread();
        new Thread(() -> {
                    awaitLeft(handling);
                    complete(async, s);
                })
                .start();
    }

    @GetMapping("/script/held/callable")
    @ResponseBody
    Callable<Void> callable(String first, String s, HttpServletResponse response) throws IOException, ServletException {
        run(first, response);
        Thread handling = Thread.currentThread();
        return () -> {
            awaitLeft(handling);
            run(s, response);
            return null;
        };
    }

    @GetMapping("/script/async-dispatch")
    void asyncDispatch(String first, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        AsyncContext async = request.startAsync();
        run(first, response);
        async.dispatch("/script/sync");
    }

    @GetMapping("/script/async-timeout")
    void asyncTimeout(String first, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        run(first, response);
        // Jetty never ends a request whose timeout is over before its task has been written down:
        // AsyncContextEvent.run()
        request.startAsync().setTimeout(500);
    }

    @GetMapping("/script/async-throw")
    void asyncThrow(HttpServletRequest request, HttpServletResponse response) {
        request.startAsync();
        throw new IllegalStateException("failed on purpose");
    }

    @GetMapping("/script/emitter")
    ResponseBodyEmitter emitter() {
        ResponseBodyEmitter emitter = new ResponseBodyEmitter();
        emitter.completeWithError(new IllegalStateException("failed on purpose"));
        return emitter;
    }

    /** Called once more by the asynchronous dispatch. */
    @RateLimiter(name = "handled", limit = 10, window = "1h", algorithm = Algorithm.FIXED_WINDOW)
    @GetMapping("/again")
    public void again(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            response.getWriter().print("again");
        } else {
            request.startAsync().dispatch();
        }
    }

    @ExceptionHandler
    ResponseEntity<String> handled(Handled failure) {
        return ResponseEntity.status(418).body("handled");
    }

    private static void complete(AsyncContext async, String script) {
        try {
            run(script, (HttpServletResponse) async.getResponse());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (ServletException failure) {
            throw new IllegalStateException(failure);
        } finally {
            async.complete();
        }
    }

    private static void run(String script, HttpServletResponse response) throws IOException, ServletException {
        if (script == null || script.isEmpty()) {
            return;
        }
        for (String step : script.split(",")) {
            step(step.substring(0, 1), step.substring(1), response);
        }
    }

    private static void step(String verb, String rest, HttpServletResponse response)
            throws IOException, ServletException {
        switch (verb) {
            case "w" -> response.getOutputStream().print(rest);
            case "p" -> response.getWriter().print(rest);
            case "n" -> response.getWriter().println(rest);
            case "f" -> response.flushBuffer();
            case "r" -> response.reset();
            case "s" -> response.setStatus(Integer.parseInt(rest));
            case "l" -> response.setContentLength(Integer.parseInt(rest));
            case "m" -> response.sendRedirect(rest);
            case "e" -> sendError(Integer.parseInt(rest), response);
            case "x" -> throw new IllegalStateException("failed on purpose");
            case "h" -> throw new Handled();
            default -> throw new IllegalArgumentException(verb);
        }
    }

    private static void sendError(int status, HttpServletResponse response) throws IOException {
        try {
            response.sendError(status);
        } catch (IllegalStateException complete) {
            // the answer is under way
        }
    }
}
