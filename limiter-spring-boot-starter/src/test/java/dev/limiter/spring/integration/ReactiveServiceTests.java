package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.PermitHolders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A Spring MVC application whose services return publishers: each subscription is decided. */
@Yml("""
        limiter.rules:
          stock: { limit: 3, window: 1h, algorithm: fixed-window }
          pool: { limit: 1, algorithm: concurrency }
          guess: { limit: 2, window: 1h, charge-if: "#result == 'wrong'" }
          judged: { limit: 2, window: 1h, charge-if: "#response.status == 401" }
        """)
class ReactiveServiceTests extends WebTestSupport {

    @Autowired
    private Services services;

    @Autowired
    private PermitHolders holders;

    @BeforeEach
    void forgetEarlierTests() {
        time.advance(Duration.ofDays(1));
        Services.calls.set(0);
        Services.end = Sinks.empty();
    }

    @ParameterizedTest
    @CsvSource({"/stock, 1", "/blocking, 1", "/flux, 1", "/twice, 2", "/twice-blocking, 2"})
    void eachSubscriptionTakesAPermit(String path, int permits) throws Exception {
        int served = 3 / permits;
        for (int i = 0; i < served; i++) {
            assertStatus(200, path);
        }
        assertStatus(429, path);
        assertThat(Services.calls).hasValue(3);
    }

    @Test
    void unusedPublisherTakesNothing() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertStatus(200, "/unused");
        }
        assertThat(services.stock().block()).isOne();
    }

    @Test
    void permitIsHeldUntilTheEnd() throws Exception {
        Future<HttpResponse<String>> first = background(() -> get("/pool"));
        await(() -> holders.permits("pool") == 1);
        assertThat(get("/pool").statusCode()).isEqualTo(503);
        Services.end.tryEmitEmpty();
        assertThat(result(first).statusCode()).isEqualTo(200);
        assertThat(holders.permits("pool")).isZero();
        assertStatus(200, "/pool");
        assertThat(holders.permits("pool")).isZero();
    }

    @Test
    void resultOrResponseDecidesOnTheCharge() throws Exception {
        assertStatuses(List.of(200, 200, 200, 200), "/guess?text=right");
        assertStatuses(List.of(200, 200, 429), "/guess?text=wrong");
        assertStatuses(List.of(200, 200, 200, 200), "/judged");
    }

    static class Services {

        static final AtomicInteger calls = new AtomicInteger();
        static volatile Sinks.Empty<String> end = Sinks.empty();

        @RateLimiter("stock")
        public Mono<Integer> stock() {
            return Mono.fromSupplier(calls::incrementAndGet);
        }

        @RateLimiter("stock")
        public Flux<Integer> all() {
            return Flux.defer(() -> Flux.just(calls.incrementAndGet(), 0));
        }

        @RateLimiter("pool")
        public Mono<String> pool() {
            return Mono.defer(() -> end.asMono()).thenReturn("done");
        }

        @RateLimiter("guess")
        public Mono<String> guess(String text) {
            return Mono.just(text);
        }

        @RateLimiter("judged")
        public Mono<String> judged() {
            return Mono.just("judged");
        }
    }

    @TestApplication
    @Import(Services.class)
    static class Endpoints {

        private final Services services;

        Endpoints(Services services) {
            this.services = services;
        }

        @GetMapping("/stock")
        Mono<Integer> stock() {
            return services.stock();
        }

        @GetMapping("/blocking")
        Integer blocking() {
            return services.stock().block();
        }

        @GetMapping("/flux")
        Mono<List<Integer>> flux() {
            return services.all().collectList();
        }

        @GetMapping("/twice")
        Mono<Integer> twice() {
            Mono<Integer> stock = services.stock();
            return stock.then(stock);
        }

        @GetMapping("/twice-blocking")
        Integer twiceBlocking() {
            Mono<Integer> stock = services.stock();
            return stock.block() + stock.block();
        }

        @GetMapping("/unused")
        String unused() {
            return "unused " + services.stock().getClass().getSimpleName();
        }

        @GetMapping("/pool")
        Mono<String> pool() {
            return services.pool();
        }

        @GetMapping("/guess")
        Mono<String> guess(String text) {
            return services.guess(text);
        }

        @GetMapping("/judged")
        Mono<String> judged() {
            return services.judged();
        }
    }
}
