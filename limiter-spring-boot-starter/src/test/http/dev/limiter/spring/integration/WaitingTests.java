package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;

/** Requests that wait in a queue without a thread. */
@Yml("""
        server.tomcat.threads.max: 2
        limiter.rules:
          pace: { paths: /paced/**, algorithm: leaky-bucket, limit: 10, window: 1s, max-wait: 500ms }
          pool: { paths: /pool/**, algorithm: concurrency, limit: 1, max-wait: 1m, max-waiting: 2 }
          bucket: { paths: /bucket/**, limit: 1, window: 4s, max-wait: 30s, headers: both }
          vip: { paths: /vip, algorithm: fixed-window, limit: 4, window: 1m, max-wait: 1m, reserve: 25%,
              priority: "#request.getHeader('X-Plan') == 'gold'" }
        """)
class WaitingTests extends WebTestSupport {

    private static final Duration TURN = Duration.ofMillis(100);

    @Autowired
    private Scene scene;

    @Autowired
    private MeterRegistry meters;

    @BeforeEach
    void idle() {
        time.advance(Duration.ofHours(1));
        scene.served.set(0);
    }

    @Test
    void requestsLeaveInTurnWithoutHoldingThreads() throws Exception {
        assertThat(get("/paced/sync").body()).isEqualTo("served 1");
        List<Future<HttpResponse<String>>> waiting = waiting(5, "/paced/sync");

        // two request threads, and five waiting requests
        assertThat(get("/free").statusCode()).isEqualTo(200);
        for (int i = 0; i < 5; i++) {
            int left = 4 - i;
            time.advance(TURN.minusNanos(1));
            assertThat(limiters.waiting()).isEqualTo(left + 1);
            time.advance(Duration.ofNanos(1));
            await(() -> limiters.waiting() == left);
            assertThat(result(waiting.get(i)).body()).isEqualTo("served " + (i + 2));
        }
        assertThat(meters.get("limiter.wait").tag("rule", "pace").timer().count())
                .isGreaterThanOrEqualTo(6);
        assertThat(meters.get("limiter.waiting").gauge().value()).isZero();
    }

    @Test
    void requestThatWouldWaitTooLongIsRejectedAtOnce() throws Exception {
        get("/paced/sync");
        List<Future<HttpResponse<String>>> waiting = waiting(5, "/paced/sync");

        HttpResponse<String> rejected = get("/paced/sync");

        assertThat(rejected.statusCode()).isEqualTo(429);
        // in a tenth of a second, the next turn is within half a second
        assertThat(field(rejected, "Retry-After")).isEqualTo("1");
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"pace\";r=0;t=1");
        assertThat(scene.served).hasValue(1);
        time.advance(Duration.ofSeconds(1));
        for (Future<HttpResponse<String>> one : waiting) {
            assertThat(result(one).statusCode()).isEqualTo(200);
        }
    }

    /** The time to the next permit counts from the response, without the wait. */
    @Test
    void fieldsHaveTheStateAtTheEndOfTheWait() throws Exception {
        assertThat(field(get("/bucket/sync"), "RateLimit")).isEqualTo("\"bucket\";r=0;t=4");
        List<Future<HttpResponse<String>>> waiting = waiting(2, "/bucket/sync");
        time.advance(Duration.ofSeconds(4));
        await(() -> waiting.stream().anyMatch(Future::isDone));
        time.advance(Duration.ofSeconds(4));

        for (Future<HttpResponse<String>> one : waiting) {
            assertThat(field(result(one), "RateLimit")).isEqualTo("\"bucket\";r=0;t=4");
            assertThat(field(result(one), "X-RateLimit-Reset")).isEqualTo("4");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/paced/future", "/paced/annotated"})
    void anAsynchronousHandlerRunsOnceAndIsChargedOnce(String path) throws Exception {
        assertThat(get(path).body()).isEqualTo("served 1");
        Future<HttpResponse<String>> waiting = waiting(1, path).get(0);
        time.advance(TURN);
        HttpResponse<String> response = result(waiting);
        assertThat(response.body()).isEqualTo("served 2");
        assertThat(field(response, "RateLimit-Policy")).contains("\"pace\";q=10;w=1");
        // the next turn is free, so only one was taken
        time.advance(TURN);
        assertThat(get(path).body()).isEqualTo("served 3");
    }

    @Test
    void bodyIsAvailableAfterTheWait() throws Exception {
        get("/paced/sync");
        Future<HttpResponse<String>> waiting = background(() -> post("/paced/body", "hello"));
        await(() -> limiters.waiting() == 1);
        time.advance(TURN);
        assertThat(result(waiting).body()).isEqualTo("hello");
    }

    @Test
    void requestsWaitForOneThatIsServed() throws Exception {
        Future<HttpResponse<String>> first = background(() -> get("/pool/later"));
        await(scene.entered::isDone);
        List<Future<HttpResponse<String>>> waiting = waiting(2, "/pool/sync");
        HttpResponse<String> tooMany = get("/pool/sync");
        // a limit that all clients share
        assertThat(tooMany.statusCode()).isEqualTo(503);

        scene.gate.complete(null);

        assertThat(result(first).statusCode()).isEqualTo(200);
        for (Future<HttpResponse<String>> one : waiting) {
            assertThat(result(one).statusCode()).isEqualTo(200);
        }
        // the permit of the last request is released after its response was read
        assertStatus(200, "/pool/sync");
    }

    @Test
    void onlyThoseWithPriorityHaveTheReserveAndTakeFromTheNextWindow() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/vip").statusCode()).isEqualTo(200);
        }
        assertThat(get("/vip").statusCode()).isEqualTo(429);
        assertThat(get("/vip", "X-Plan", "gold").statusCode()).isEqualTo(200);

        List<Future<HttpResponse<String>>> waiting = waiting(4, "/vip", "X-Plan", "gold");
        assertThat(get("/vip", "X-Plan", "gold").statusCode()).isEqualTo(429);
        assertThat(get("/vip").statusCode()).isEqualTo(429);

        time.advance(Duration.ofMinutes(1));
        for (Future<HttpResponse<String>> one : waiting) {
            assertThat(result(one).statusCode()).isEqualTo(200);
        }
        // the permits of the new window were already taken in advance
        assertThat(get("/vip").statusCode()).isEqualTo(429);
    }

    /** The calls of handlers, and the signals that they wait for. */
    static class Scene {

        final AtomicInteger served = new AtomicInteger();
        final CompletableFuture<Void> entered = new CompletableFuture<>();
        final CompletableFuture<Void> gate = new CompletableFuture<>();
    }

    @TestApplication
    @Import(Scene.class)
    static class Endpoints {

        @Bean
        static MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        private final Scene scene;

        Endpoints(Scene scene) {
            this.scene = scene;
        }

        private String serve() {
            return "served " + scene.served.incrementAndGet();
        }

        @GetMapping({"/paced/sync", "/pool/sync", "/bucket/sync", "/vip"})
        String sync() {
            return serve();
        }

        @GetMapping("/free")
        String free() {
            return "free";
        }

        @GetMapping("/paced/annotated")
        @RateLimiter(limit = 1000, window = "1h")
        String annotated() {
            return serve();
        }

        @GetMapping("/paced/future")
        CompletableFuture<String> future() {
            return CompletableFuture.supplyAsync(this::serve);
        }

        @GetMapping("/pool/later")
        CompletableFuture<String> later() {
            scene.entered.complete(null);
            return scene.gate.thenApply(open -> serve());
        }

        @PostMapping("/paced/body")
        String body(@RequestBody String body) {
            return body;
        }
    }
}
