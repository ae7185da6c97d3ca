package dev.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.test.VirtualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The permits of a concurrency limit that a method holds outside of requests. */
class HeldPermitTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
            .withConfiguration(Limiter.autoConfigurations())
            .withBean(VirtualTimeSource.class)
            .withBean(Pool.class);

    @Test
    void isReleasedOnReturnAndOnFailure() {
        with(pool -> {
            pool.nested(() -> rejected(() -> pool.nested(() -> {})));
            assertThatThrownBy(() -> pool.nested(() -> {
                        throw new IllegalStateException("on purpose");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            pool.nested(() -> {});
        });
    }

    @Test
    void isHeldUntilAFutureCompletes() {
        with(pool -> {
            CompletableFuture<String> first = new CompletableFuture<>();
            // whoever knows that the call is over finds its permit free
            CompletableFuture<Void> next = pool.later(first)
                    .handle((value, failure) -> pool.later(CompletableFuture.completedFuture("done")))
                    .thenAccept(done -> assertThat(done).isCompletedWithValue("done"))
                    .toCompletableFuture();
            rejected(() -> pool.later(first));
            first.completeExceptionally(new IllegalStateException("on purpose"));
            assertThat(next).isCompleted();
            CompletableFuture<String> cancelled = new CompletableFuture<>();
            pool.later(cancelled).toCompletableFuture().cancel(true);
            assertThat(cancelled).isCancelled();
            CompletableFuture<String> late = new CompletableFuture<>();
            assertThatThrownBy(() -> pool.later(late)
                            .toCompletableFuture()
                            .orTimeout(1, TimeUnit.MILLISECONDS)
                            .join())
                    .hasCauseInstanceOf(TimeoutException.class);
            assertThat(late).isCompletedExceptionally();
            CompletableFuture<String> given = new CompletableFuture<>();
            pool.later(given).toCompletableFuture().complete("by the caller");
            assertThat(given).isCompletedWithValue("by the caller");
            pool.later(new CompletableFuture<>());
        });
    }

    @Test
    void isHeldUntilAMonoTerminatesOrIsCancelled() {
        with(pool -> {
            Sinks.One<String> first = Sinks.one();
            CompletableFuture<String> result = pool.mono(first.asMono()).toFuture();
            rejected(() -> pool.mono(Mono.empty()));
            first.tryEmitValue("done");
            assertThat(result).isCompletedWithValue("done");

            pool.mono(Mono.never()).subscribe().dispose();
            pool.mono(Mono.error(new IllegalStateException("on purpose")))
                    .onErrorComplete()
                    .block();
            pool.mono(Mono.empty());
        });
    }

    @Test
    void isHeldUntilAFluxTerminates() {
        with(pool -> {
            assertThat(pool.flux(Flux.just("a", "b")).collectList().block()).containsExactly("a", "b");
            pool.flux(Flux.never());
            rejected(() -> pool.flux(Flux.empty()));
        });
    }

    @Test
    void theConfigurationMayMakeAConcurrencyLimitOfARate() {
        application
                .withPropertyValues("limiter.rules.rate.algorithm=concurrency", "limiter.rules.rate.limit=1")
                .run(context -> {
                    Pool pool = context.getBean(Pool.class);
                    for (int i = 0; i < 10; i++) {
                        pool.rate(() -> rejected(() -> pool.rate(() -> {})));
                    }
                });
    }

    @Test
    void aWindowIsRejected() {
        application
                .withPropertyValues(
                        "limiter.rules.pool.algorithm=concurrency",
                        "limiter.rules.pool.limit=1",
                        "limiter.rules.pool.window=1s",
                        "limiter.rules.pool.paths=/**")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("limiter.rules.pool.window")
                        .hasMessageContaining("concurrency has no window"));
    }

    @Test
    void isShownForAsLongAsItIsHeld() {
        application.run(context -> {
            Pool pool = context.getBean(Pool.class);
            PermitHolders holders = context.getBean(PermitHolders.class);
            VirtualTimeSource time = context.getBean(VirtualTimeSource.class);
            Instant begun = Instant.ofEpochSecond(0, time.epochNanos());

            pool.nested(() -> {
                time.advance(Duration.ofSeconds(3));
                assertThat(holders.of("Pool.nested", null)).singleElement().satisfies(held -> {
                    assertThat(held.resource()).isEqualTo("Pool.nested");
                    assertThat(held.thread()).isEqualTo(Thread.currentThread().getName());
                    assertThat(held.permits()).isEqualTo(1);
                    assertThat(held.since()).isEqualTo(begun);
                    assertThat(holders.age(held)).isEqualTo(Duration.ofSeconds(3));
                });
                rejected(() -> pool.nested(() -> {}));
                assertThat(holders.permits("Pool.nested")).isEqualTo(1);
            });
            assertThatThrownBy(() -> pool.nested(() -> {
                        throw new IllegalStateException("on purpose");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(holders.of("Pool.nested", null)).isEmpty();

            CompletableFuture<String> result = new CompletableFuture<>();
            pool.later(result);
            assertThat(holders.permits("Pool.later")).isEqualTo(1);
            result.complete("done");
            assertThat(holders.permits("Pool.later")).isZero();

            Disposable running = pool.mono(Mono.never()).subscribe();
            assertThat(holders.permits("Pool.mono")).isEqualTo(1);
            running.dispose();
            assertThat(holders.permits("Pool.mono")).isZero();
        });
    }

    @Test
    void nothingIsKeptOfOtherRules() {
        application.run(context -> {
            PermitHolders holders = context.getBean(PermitHolders.class);
            context.getBean(Pool.class)
                    .rate(() -> assertThat(holders.of("rate", null)).isEmpty());
        });
    }

    private void with(Consumer<Pool> test) {
        application.run(context -> test.accept(context.getBean(Pool.class)));
    }

    private static void rejected(Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(RateLimitExceededException.class);
    }

    static class Pool {

        @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1)
        public void nested(Runnable work) {
            work.run();
        }

        @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1)
        public CompletionStage<String> later(CompletionStage<String> result) {
            return result;
        }

        @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1)
        public Mono<String> mono(Mono<String> result) {
            return result;
        }

        @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1)
        public Flux<String> flux(Flux<String> result) {
            return result;
        }

        @RateLimiter(name = "rate", limit = 100)
        public void rate(Runnable work) {
            work.run();
        }
    }
}
