package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.testkit.RawClient;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.AsyncHandlerInterceptor;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Requests of Spring MVC that wait, as its interceptors and the container see them. */
@Yml("""
        server.tomcat.threads.max: 2
        limiter.rules:
          pace: { paths: /paced/**, algorithm: leaky-bucket, limit: 10, window: 1s, max-wait: 500ms }
          guarded: { paths: /guarded, limit: 2, window: 1m, max-wait: 1m }
        """)
class WaitingInterceptorsTests extends WebTestSupport {

    private static final Duration TURN = Duration.ofMillis(100);

    @Autowired
    private Scene scene;

    @Autowired
    private Service service;

    @BeforeEach
    void idle() {
        time.advance(Duration.ofHours(1));
        scene.served.set(0);
        scene.callbacks.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/paced/callable", "/paced/deferred"})
    void anAsynchronousHandlerRunsOnce(String path) throws Exception {
        get("/paced/sync");
        Future<HttpResponse<String>> waiting = waiting(1, path).get(0);
        time.advance(TURN);
        assertThat(result(waiting).body()).isEqualTo("served 2");
        assertThat(scene.served).hasValue(2);
    }

    /** An interceptor that checks only the first dispatch must see it before the request waits. */
    @Test
    void interceptorsSeeARequestOnArrivalBeforeItWaits() throws Exception {
        get("/paced/sync");
        Future<HttpResponse<String>> forbidden = background(() -> get("/paced/sync", "X-Forbidden", "yes"));
        assertThat(result(forbidden).statusCode()).isEqualTo(403);
        time.advance(TURN);
        await(() -> limiters.waiting() == 0);
        Future<HttpResponse<String>> next = waiting(1, "/paced/sync").get(0);
        time.advance(TURN);
        assertThat(result(next).body()).isEqualTo("served 2");
    }

    /** Otherwise clients could guess a password that an interceptor checks, without limit. */
    @ParameterizedTest
    @CsvSource({"yes, 403", "page, 403", "failure, 500"})
    void responseOfAnInterceptorUsesTheTurn(String forbidden, int status) throws Exception {
        assertThat(statuses(6, "X-Forbidden", forbidden)).containsExactly(status, status, status, status, 429, 429);
        // by then, the two turns have passed, and nothing is left of them
        time.advance(Duration.ofMinutes(1));
        await(() -> limiters.waiting() == 0);
        assertThat(statuses(3, "X-Forbidden", forbidden)).containsExactly(status, status, 429);
        time.advance(Duration.ofHours(1));
        await(() -> limiters.waiting() == 0);
    }

    @Test
    void responseOfAnInterceptorAfterTheWaitUsesTheTurn() throws Exception {
        assertThat(statuses(2)).containsExactly(200, 200);
        int before = scene.withoutThread.get();
        Future<HttpResponse<String>> waiting =
                waiting(1, "/guarded", "X-Forbidden", "later").get(0);
        // or the request would not be dispatched again
        await(() -> scene.withoutThread.get() > before);
        time.advance(Duration.ofSeconds(30));
        assertThat(result(waiting).statusCode()).isEqualTo(403);
        assertThat(statuses(3, "X-Forbidden", "yes")).containsExactly(403, 403, 429);
        time.advance(Duration.ofHours(1));
        await(() -> limiters.waiting() == 0);
    }

    private List<Integer> statuses(int count, String... headers) {
        return IntStream.range(0, count)
                .mapToObj(i -> get("/guarded", headers).statusCode())
                .toList();
    }

    /** The container completes a request when it notices that the client is gone. */
    @Test
    void theTurnOfARequestThatTheContainerEndsStaysEmpty() throws Exception {
        get("/paced/sync");
        for (int i = 0; i < 3; i++) {
            int before = limiters.waiting();
            var unused = background(() -> get("/paced/sync", "X-Ended", "yes"));
            await(() -> scene.suspended.size() == before + 1);
        }
        Future<HttpResponse<String>> last = background(() -> get("/paced/sync"));
        await(() -> limiters.waiting() == 4);
        scene.suspended.forEach(AsyncContext::complete);
        await(() -> limiters.waiting() == 1);

        time.advance(TURN.multipliedBy(4));

        assertThat(result(last).body()).isEqualTo("served 2");
        assertThat(scene.served).hasValue(2);
    }

    /** HTTP/1.1 does not report a lost client: its turn passes, and the next request gets the following one. */
    @Test
    void thePlaceOfAClientThatIsGoneUnnoticedPassesAtItsTurn() throws Exception {
        get("/paced/sync");
        try (Socket gone = new RawClient(port()).begin("/paced/sync")) {
            await(() -> limiters.waiting() == 1);
        }
        Future<HttpResponse<String>> last = background(() -> get("/paced/sync"));
        await(() -> limiters.waiting() == 2);

        time.advance(TURN.multipliedBy(2));

        assertThat(result(last).body()).startsWith("served");
        await(() -> scene.served.get() == 3);
        assertThat(limiters.waiting()).isZero();
    }

    @Test
    void aMethodWaitsInTheCallingThread() throws Exception {
        service.paced();
        Future<Integer> waiting = background(service::paced);
        await(() -> limiters.waiting() == 1);
        assertThatThrownBy(service::paced).isInstanceOf(RateLimitExceededException.class);
        time.advance(TURN);
        assertThat(result(waiting)).isEqualTo(2);
    }

    /**
     * As with Spring's own asynchronous requests, resources of interceptors are neither closed early nor opened twice.
     */
    @ParameterizedTest
    @ValueSource(strings = {"/paced/sync", "/paced/deferred"})
    void interceptorsSeeAnAsynchronousRequest(String path) throws Exception {
        get("/paced/sync");
        List<Future<HttpResponse<String>>> waiting = waiting(1, path, "X-Recorded", "yes");
        await(() -> scene.callbacks.contains("afterConcurrentHandlingStarted"));
        time.advance(TURN);

        assertThat(result(waiting.get(0)).statusCode()).isEqualTo(200);
        await(() -> scene.callbacks.contains("afterCompletion"));
        List<String> expected = new ArrayList<>(List.of("preHandle", "afterConcurrentHandlingStarted"));
        if (path.endsWith("deferred")) {
            // the handler is asynchronous itself
            expected.addAll(List.of("preHandle", "afterConcurrentHandlingStarted"));
        }
        expected.addAll(List.of("preHandle", "postHandle", "afterCompletion"));
        assertThat(scene.callbacks).isEqualTo(expected);
    }

    /** Checks the first dispatch and trusts the second, or the other way round. */
    static class Guard implements HandlerInterceptor {

        @Override
        public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
                throws IOException {
            String forbidden = request.getHeader("X-Forbidden");
            DispatcherType guarded = "later".equals(forbidden) ? DispatcherType.ASYNC : DispatcherType.REQUEST;
            if (forbidden == null || request.getDispatcherType() != guarded) {
                return true;
            }
            switch (forbidden) {
                case "failure" -> throw new IllegalStateException("Forbidden");
                case "page" -> response.sendError(403);
                default -> response.setStatus(403);
            }
            return false;
        }
    }

    /** The callbacks of requests with {@code X-Recorded}. */
    record CallbackRecorder(List<String> callbacks) implements AsyncHandlerInterceptor {

        @Override
        public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
            record(request, "preHandle");
            return true;
        }

        @Override
        public void afterConcurrentHandlingStarted(
                HttpServletRequest request, HttpServletResponse response, Object handler) {
            record(request, "afterConcurrentHandlingStarted");
        }

        @Override
        public void postHandle(
                HttpServletRequest request, HttpServletResponse response, Object handler, ModelAndView view) {
            record(request, "postHandle");
        }

        @Override
        public void afterCompletion(
                HttpServletRequest request, HttpServletResponse response, Object handler, Exception failure) {
            record(request, "afterCompletion");
        }

        private void record(HttpServletRequest request, String callback) {
            if (request.getHeader("X-Recorded") != null) {
                callbacks.add(callback);
            }
        }
    }

    static class Service {

        private final AtomicInteger calls = new AtomicInteger();

        @RateLimiter(limit = 10, window = "1s", algorithm = Algorithm.LEAKY_BUCKET, maxWait = "100ms")
        public int paced() {
            return calls.incrementAndGet();
        }
    }

    /** The calls of handlers, and the signals that they wait for. */
    static class Scene {

        final AtomicInteger served = new AtomicInteger();
        final AtomicInteger withoutThread = new AtomicInteger();
        final List<AsyncContext> suspended = new CopyOnWriteArrayList<>();
        final List<String> callbacks = new CopyOnWriteArrayList<>();
    }

    @TestApplication
    @Import({Scene.class, Service.class})
    static class Endpoints {

        @Bean
        static WebMvcConfigurer interceptors(Scene scene) {
            return new WebMvcConfigurer() {
                @Override
                public void addInterceptors(InterceptorRegistry registry) {
                    registry.addInterceptor(new Guard()).order(1000);
                    registry.addInterceptor(new CallbackRecorder(scene.callbacks));
                }
            };
        }

        /** Completes some requests while they wait. */
        @Bean
        static @Order(-1000) Filter ending(Scene scene) {
            return (request, response, chain) -> {
                chain.doFilter(request, response);
                if (request.isAsyncStarted()) {
                    scene.withoutThread.incrementAndGet();
                }
                if (((HttpServletRequest) request).getHeader("X-Ended") != null && request.isAsyncStarted()) {
                    scene.suspended.add(request.getAsyncContext());
                }
            };
        }

        private final Scene scene;

        Endpoints(Scene scene) {
            this.scene = scene;
        }

        private String serve() {
            return "served " + scene.served.incrementAndGet();
        }

        @GetMapping({"/paced/sync", "/guarded"})
        String sync() {
            return serve();
        }

        @GetMapping("/paced/callable")
        Callable<String> callable() {
            return this::serve;
        }

        @GetMapping("/paced/deferred")
        DeferredResult<String> deferred() {
            DeferredResult<String> result = new DeferredResult<>();
            new Thread(() -> result.setResult(serve())).start();
            return result;
        }
    }
}
