package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** A permit is held exactly as long as its request is served. */
@Yml("""
        spring.mvc.async.request-timeout: 500ms
        limiter.rules:
          pool: { paths: /by-rule/**, algorithm: concurrency, limit: 1, key: global, headers: ietf }
          mine: { paths: /mine/**, algorithm: concurrency, limit: 1, key: header:X-Client }
        """)
class ConcurrencyTests extends WebTestSupport {

    /** The latches of handlers by test. */
    private static final Map<String, CountDownLatch> GATES = new ConcurrentHashMap<>();

    private static final Map<String, CountDownLatch> ENTERED = new ConcurrentHashMap<>();

    /** A client may receive the response before the permit of its request is released. */
    @BeforeEach
    void nobodyIsServed() {
        assertEventuallyFree();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/by-rule/blocking/", "/by-rule/callable/", "/by-rule/future/"})
    void isRejectedWhileAnotherIsServedAndPermittedAfterwards(String path) throws Exception {
        Future<HttpResponse<String>> first = inBackground(path + gate("r" + path.hashCode()));

        HttpResponse<String> rejected = get("/by-rule/plain");
        assertThat(rejected.statusCode()).isEqualTo(503);
        assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"pool\";q=1;qu=\"concurrent-requests\"");
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"pool\";r=0");
        assertThat(field(rejected, "Retry-After")).isEmpty();
        assertThat(rejected.body())
                .contains("#temporary-reduced-capacity\"", "\"status\":503", "\"violated-policies\":[\"pool\"]")
                .doesNotContain("retry-after");

        open("r" + path.hashCode());
        assertThat(first.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertEventuallyFree();
        assertThat(get("/by-rule/plain").statusCode()).isEqualTo(200);
    }

    @Test
    void aKeyedLimitIsTheClientsOwnAnd429() throws Exception {
        Future<HttpResponse<String>> first = inBackground("/mine/" + gate("mine"), "X-Client", "a");

        HttpResponse<String> rejected = get("/mine/none", "X-Client", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("#quota-exceeded");
        assertThat(get("/mine/none", "X-Client", "b").statusCode()).isEqualTo(200);

        open("mine");
        assertThat(first.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/by-rule/plain",
                "/by-rule/failing",
                "/by-rule/deferred-error",
                "/by-rule/never-set",
                "/by-rule/sse",
                "/by-rule/sse-error",
                "/by-rule/unknown"
            })
    void isReleasedAtEveryEndOfARequest(String path) throws Exception {
        try {
            get(path);
        } catch (UncheckedIOException brokenOff) {
            // some responses end early
        }

        assertEventuallyFree();
    }

    @Test
    void annotatedHandlerHoldsPermitsUntilItsAsynchronousResult() throws Exception {
        Future<HttpResponse<String>> first = inBackground("/annotated/" + gate("annotated"));

        assertThat(get("/annotated/none").statusCode()).isEqualTo(503);
        open("annotated");
        assertThat(first.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        await(() -> status("/annotated/none") == 200);
    }

    private int status(String path) {
        return get(path).statusCode();
    }

    private void assertEventuallyFree() {
        await(() -> remaining("pool", "") == 1);
    }

    private Future<HttpResponse<String>> inBackground(String path, String... headers) {
        FutureTask<HttpResponse<String>> task = new FutureTask<>(() -> get(path, headers));
        new Thread(task).start();
        CountDownLatch entered = ENTERED.get(path.substring(path.lastIndexOf('/') + 1));
        await(() -> entered.getCount() == 0 || task.isDone());
        assertThat(task).as("a request that is served").isNotDone();
        return task;
    }

    private static String gate(String name) {
        GATES.put(name, new CountDownLatch(1));
        ENTERED.put(name, new CountDownLatch(1));
        return name;
    }

    private static void open(String name) {
        GATES.get(name).countDown();
    }

    private static String pass(String name) throws InterruptedException {
        CountDownLatch gate = GATES.get(name);
        if (gate != null) {
            ENTERED.get(name).countDown();
            gate.await();
        }
        return name;
    }

    @TestApplication
    static class Controller {

        @GetMapping("/by-rule/plain")
        String plain() {
            return "plain";
        }

        @GetMapping("/by-rule/blocking/{gate}")
        String blocking(@PathVariable("gate") String gate) throws InterruptedException {
            return pass(gate);
        }

        @GetMapping("/by-rule/callable/{gate}")
        Callable<String> callable(@PathVariable("gate") String gate) {
            return () -> pass(gate);
        }

        @GetMapping("/by-rule/future/{gate}")
        CompletableFuture<String> future(@PathVariable("gate") String gate) {
            return later(gate);
        }

        @GetMapping("/mine/{gate}")
        String mine(@PathVariable("gate") String gate) throws InterruptedException {
            return pass(gate);
        }

        @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1)
        @GetMapping("/annotated/{gate}")
        CompletableFuture<String> annotated(@PathVariable("gate") String gate) {
            return later(gate);
        }

        @GetMapping("/by-rule/failing")
        String failing() {
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/by-rule/deferred-error")
        DeferredResult<String> deferredError() {
            DeferredResult<String> result = new DeferredResult<>();
            result.setErrorResult(new IllegalStateException("on purpose"));
            return result;
        }

        @GetMapping("/by-rule/never-set")
        DeferredResult<String> neverSet() {
            return new DeferredResult<>();
        }

        @GetMapping("/by-rule/sse")
        SseEmitter sse() throws IOException {
            SseEmitter emitter = new SseEmitter();
            emitter.send("one");
            emitter.complete();
            return emitter;
        }

        @GetMapping("/by-rule/sse-error")
        SseEmitter sseError() throws IOException {
            SseEmitter emitter = new SseEmitter();
            emitter.send("one");
            emitter.completeWithError(new IllegalStateException("on purpose"));
            return emitter;
        }

        private static CompletableFuture<String> later(String gate) {
            return CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return pass(gate);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    task -> new Thread(task).start());
        }
    }
}
