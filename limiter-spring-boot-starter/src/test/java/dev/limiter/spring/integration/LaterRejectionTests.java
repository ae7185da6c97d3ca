package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Permits of the rules for the path are refunded if a method rejects the request later, on any thread. */
@Yml("""
        limiter.rules:
          path: { paths: /**, limit: 100, window: 1h }
          outcome: { paths: /**, limit: 100, window: 1h, charge-if: '#response.status != 404' }
        """)
class LaterRejectionTests extends WebTestSupport {

    @BeforeEach
    void forgetEarlierTests() {
        time.advance(Duration.ofDays(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/direct", "/callable", "/deferred", "/deferred-wrapped", "/joined", "/sse"})
    void permitsOfThePathAreRefunded(String path) throws Exception {
        assertThat(get(path).statusCode()).isEqualTo(200);

        HttpResponse<String> rejected = get(path);

        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(field(rejected, "RateLimit"))
                .isEqualTo("\"path\";r=99;t=3564, \"outcome\";r=99;t=3564, \"call\";r=0;t=3600");
        assertThat(used("path")).isEqualTo(1);
        assertThat(used("outcome")).isEqualTo(1);
    }

    /** Rejections by limits of the application. If there are two, the one that leaves the handler counts. */
    @ParameterizedTest
    @ValueSource(strings = {"/own", "/own-future", "/own-first"})
    void rejectionsByLimitsOfTheApplicationAre503(String path) {
        assertThat(get(path).statusCode()).isEqualTo(200);

        HttpResponse<String> rejected = get(path);

        assertThat(rejected.statusCode()).isEqualTo(503);
        assertThat(rejected.body()).contains("#temporary-reduced-capacity", "\"violated-policies\":[\"own\"]");
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"path\";r=99;t=3564, \"outcome\";r=99;t=3564");
    }

    private long used(String rule) {
        return 100 - remaining(rule, "");
    }

    @Service
    static class Limited {

        @RateLimiter(limit = 1, window = "1h")
        public String call() {
            return "called";
        }

        @RateLimiter(name = "own", limit = 1, window = "1h", status = 503)
        public String own() {
            return "called";
        }
    }

    @TestApplication
    @Import(Limited.class)
    static class Endpoints {

        private final Limited limited;

        Endpoints(Limited limited) {
            this.limited = limited;
        }

        @GetMapping("/direct")
        String direct() {
            return limited.call();
        }

        @GetMapping("/callable")
        Callable<String> callable() {
            return limited::call;
        }

        @GetMapping("/deferred")
        DeferredResult<String> deferred() {
            DeferredResult<String> result = new DeferredResult<>();
            new Thread(() -> {
                        try {
                            result.setResult(limited.call());
                        } catch (RuntimeException failure) {
                            result.setErrorResult(failure);
                        }
                    })
                    .start();
            return result;
        }

        @GetMapping("/deferred-wrapped")
        DeferredResult<String> deferredWrapped() {
            DeferredResult<String> result = new DeferredResult<>();
            var unused = CompletableFuture.supplyAsync(limited::call).whenComplete((value, failure) -> {
                if (failure == null) {
                    result.setResult(value);
                } else {
                    result.setErrorResult(failure);
                }
            });
            return result;
        }

        @GetMapping("/own")
        String own() {
            return limited.own();
        }

        @GetMapping("/own-future")
        CompletableFuture<String> ownFuture() {
            return CompletableFuture.supplyAsync(limited::own);
        }

        @GetMapping("/own-first")
        String ownFirst() {
            try {
                return limited.own();
            } catch (RateLimitExceededException first) {
                limited.call();
                assertThatThrownBy(limited::call).isInstanceOf(RateLimitExceededException.class);
                throw first;
            }
        }

        @GetMapping("/joined")
        String joined() {
            return CompletableFuture.supplyAsync(limited::call).join();
        }

        @GetMapping("/sse")
        SseEmitter sse() {
            SseEmitter emitter = new SseEmitter();
            new Thread(() -> {
                        try {
                            emitter.send(limited.call());
                            emitter.complete();
                        } catch (Exception failure) {
                            emitter.completeWithError(failure);
                        }
                    })
                    .start();
            return emitter;
        }
    }
}
