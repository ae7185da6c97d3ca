package dev.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.VirtualTimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The calls of a method that stay charged, by their outcome. */
@SuppressWarnings("FutureReturnValueIgnored") // what is rejected returns nothing
@ExtendWith(OutputCaptureExtension.class)
class ChargeIfCallTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
            .withConfiguration(Limiter.autoConfigurations())
            .withBean(VirtualTimeSource.class)
            .withBean(Accounts.class);

    @Test
    void aResultMayBeFree() {
        with(accounts -> {
            for (int i = 0; i < 5; i++) {
                assertThat(accounts.login("ann", "right")).isTrue();
            }
            assertThat(accounts.login("ann", "wrong")).isFalse();
            rejected(() -> accounts.login("ann", "right"));
            assertThat(accounts.login("bob", "wrong")).isFalse();
        });
    }

    @Test
    void isChargedWhileItRuns() {
        with(accounts -> {
            accounts.nested(() -> rejected(() -> accounts.nested(() -> "inner")));
            accounts.nested(() -> "again");
        });
    }

    @Test
    void anExceptionMayBeCharged() {
        with(accounts -> {
            accounts.check(() -> "fine");
            accounts.check(() -> "fine");
            assertThatThrownBy(() -> accounts.check(() -> {
                        throw new IllegalArgumentException("on purpose");
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
            accounts.check(() -> "fine");
            assertThatThrownBy(() -> accounts.check(() -> {
                        throw new IllegalStateException("on purpose");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            rejected(() -> accounts.check(() -> "fine"));
        });
    }

    @Test
    void aFutureIsSettledBeforeWhoWaitsForItKnows() {
        with(accounts -> {
            CompletableFuture<Boolean> source = new CompletableFuture<>();
            CompletableFuture<Boolean> call = accounts.later(source);
            rejected(() -> accounts.later(source));
            CompletableFuture<Boolean> next = call.thenCompose(ok -> accounts.later(completed(false)));

            source.complete(true);

            assertThat(next.join()).isFalse();
            rejected(() -> accounts.later(completed(true)));
        });
    }

    @Test
    void aFutureFailsAsItWouldHave() {
        with(accounts -> {
            IllegalStateException failure = new IllegalStateException("on purpose");
            CompletableFuture<Boolean> direct = CompletableFuture.failedFuture(failure);
            assertThat(catchThrowable(() -> accounts.later(direct).get()))
                    .isInstanceOf(ExecutionException.class)
                    .hasCause(failure);
            CompletableFuture<Boolean> wrapped = accounts.later(completed(true).thenApply(ok -> {
                throw failure;
            }));
            assertThat(catchThrowable(wrapped::join))
                    .isInstanceOf(CompletionException.class)
                    .hasCause(failure);
            assertThat(accounts.later(direct).handle((value, seen) -> seen).join())
                    .isSameAs(failure);
        });
    }

    @Test
    void cancellingReachesTheMethodsOwnFuture() {
        with(accounts -> {
            CompletableFuture<Boolean> source = new CompletableFuture<>();
            CompletableFuture<Boolean> call = accounts.later(source);
            assertThat(call.cancel(true)).isTrue();
            assertThat(source).isCancelled();
            assertThat(accounts.later(completed(true)).join()).isTrue();
        });
    }

    @Test
    void anotherSortOfFutureStaysWhatItIs() {
        with(accounts -> {
            OwnFuture source = new OwnFuture();
            assertThat(accounts.own(source)).isSameAs(source);
            rejected(() -> accounts.own(source));
            source.complete(true);
            assertThat(accounts.own(source)).isCompleted();
        });
    }

    @Test
    void aMonoIsSettledBeforeItsSubscriberKnows() {
        with(accounts -> {
            Sinks.One<Boolean> source = Sinks.one();
            CompletableFuture<Boolean> next = accounts.mono(source.asMono())
                    .flatMap(ok -> accounts.mono(Mono.just(true)))
                    .toFuture();
            rejected(() -> accounts.mono(Mono.just(true)));
            source.tryEmitValue(true);
            assertThat(next.join()).isTrue();

            assertThat(accounts.mono(Mono.just(false)).block()).isFalse();
            rejected(() -> accounts.mono(Mono.just(true)));
        });
    }

    @Test
    void aMonoThatIsCancelledHasFailed() {
        with(accounts -> {
            accounts.mono(Mono.never()).subscribe().dispose();
            accounts.mono(Mono.error(new IllegalStateException("on purpose")))
                    .onErrorComplete()
                    .block();
            accounts.mono(Mono.just(true));
        });
    }

    @Test
    void aFluxIsSettledWhenItEnds() {
        with(accounts -> {
            assertThat(accounts.flux(Flux.just(1, 2)).collectList().block()).hasSize(2);
            assertThat(accounts.flux(Flux.just(1, 2)).blockFirst()).isEqualTo(1);
            assertThatThrownBy(() -> accounts.flux(Flux.error(new IllegalStateException("on purpose")))
                            .blockLast())
                    .isInstanceOf(IllegalStateException.class);
            rejected(() -> accounts.flux(Flux.empty()));
        });
    }

    @Test
    void anExpressionThatFailsChargesAndDisturbsNothing(CapturedOutput output) {
        with(accounts -> {
            assertThat(accounts.broken()).isEqualTo("fine");
            rejected(accounts::broken);
        });
        assertThat(output)
                .containsOnlyOnce("cannot be decided; it stays charged")
                .contains("chargeIf of @RateLimiter on " + Accounts.class.getName() + ".broken()");
    }

    @Test
    void configurationMaySetTheExpression() {
        application
                .withPropertyValues("limiter.rules.accounts.charge-if=#exception != null && #p0 != null")
                .run(context -> {
                    Accounts accounts = context.getBean(Accounts.class);
                    assertThat(accounts.login("ann", "wrong")).isFalse();
                    assertThat(accounts.login("ann", "wrong")).isFalse();
                });
    }

    @Test
    void whatThereIsNotStopsTheStart() {
        application
                .withPropertyValues("limiter.rules.accounts.charge-if=#reslt")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContainingAll(
                                "limiter.rules.accounts.charge-if", "#reslt is unknown", "#result, #exception"));
    }

    private void with(Consumer<Accounts> test) {
        application.run(context -> test.accept(context.getBean(Accounts.class)));
    }

    private static String rejected(Supplier<?> call) {
        assertThatThrownBy(call::get).isInstanceOf(RateLimitExceededException.class);
        return "rejected";
    }

    private static <T> CompletableFuture<T> completed(T value) {
        return CompletableFuture.completedFuture(value);
    }

    static class OwnFuture extends CompletableFuture<Boolean> {}

    static class Accounts {

        @RateLimiter(name = "accounts", limit = 1, window = "1h", key = "#user", chargeIf = "!#result")
        public boolean login(String user, String password) {
            return password.equals("right");
        }

        @RateLimiter(limit = 1, window = "1h", chargeIf = "false")
        public Object nested(Supplier<?> body) {
            return body.get();
        }

        @RateLimiter(
                limit = 1,
                window = "1h",
                chargeIf = "#exception instanceof T(java.lang.IllegalStateException) || #result == 'bad'")
        public String check(Supplier<String> body) {
            return body.get();
        }

        @RateLimiter(limit = 1, window = "1h", chargeIf = "#result == false")
        public CompletableFuture<Boolean> later(CompletableFuture<Boolean> source) {
            return source;
        }

        @RateLimiter(limit = 1, window = "1h", chargeIf = "#result == false")
        public OwnFuture own(OwnFuture source) {
            return source;
        }

        @RateLimiter(limit = 1, window = "1h", chargeIf = "#exception == null && !#result")
        public Mono<Boolean> mono(Mono<Boolean> source) {
            return source;
        }

        @RateLimiter(limit = 1, window = "1h", chargeIf = "#exception != null")
        public Flux<Integer> flux(Flux<Integer> source) {
            return source;
        }

        @RateLimiter(limit = 1, window = "1h", chargeIf = "#result.length() / 0 == 1")
        public String broken() {
            return "fine";
        }
    }
}
