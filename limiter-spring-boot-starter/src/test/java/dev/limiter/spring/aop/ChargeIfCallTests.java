package dev.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.VirtualTimeSource;
import java.util.concurrent.CompletableFuture;
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

/** Calls that stay charged, by their outcome. {@code CallCompletionTests} cover all ways in which a call ends. */
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
    void anExceptionMayBeChargedAndACallIsChargedWhileItRuns() {
        with(accounts -> {
            accounts.check(() -> rejected(() -> accounts.check(() -> "inner")));
            accounts.check(() -> "fine");
            assertThat(catchThrowable(() -> accounts.check(() -> {
                        throw new IllegalArgumentException("on purpose");
                    })))
                    .isInstanceOf(IllegalArgumentException.class);
            accounts.check(() -> "fine");
            assertThat(catchThrowable(() -> accounts.check(() -> {
                        throw new IllegalStateException("on purpose");
                    })))
                    .isInstanceOf(IllegalStateException.class);
            rejected(() -> accounts.check(() -> "fine"));
        });
    }

    @Test
    void futureIsSettledBeforeItsCallerContinues() {
        with(accounts -> {
            CompletableFuture<Boolean> source = new CompletableFuture<>();
            CompletableFuture<Boolean> call = accounts.later(source);
            rejected(() -> accounts.later(source));
            CompletableFuture<Boolean> next =
                    call.thenCompose(ok -> accounts.later(CompletableFuture.completedFuture(false)));
            source.complete(true);
            assertThat(next.join()).isFalse();
            rejected(() -> accounts.later(source));
        });
    }

    @Test
    void monoIsSettledBeforeItsSubscriberContinues() {
        with(accounts -> {
            Sinks.One<Boolean> source = Sinks.one();
            CompletableFuture<Boolean> next = accounts.mono(source.asMono())
                    .flatMap(ok -> accounts.mono(Mono.just(true)))
                    .toFuture();
            rejected(() -> accounts.mono(Mono.just(true)).block());
            source.tryEmitValue(true);
            assertThat(next.join()).isTrue();
            accounts.mono(Mono.never()).subscribe().dispose();
            accounts.mono(Mono.error(new IllegalStateException("on purpose")))
                    .onErrorComplete()
                    .block();
            assertThat(accounts.mono(Mono.just(false)).block()).isFalse();
            rejected(() -> accounts.mono(Mono.just(true)).block());
        });
    }

    @Test
    void aFluxIsJudgedWhenItEnds() {
        with(accounts -> {
            assertThat(accounts.flux(Flux.just(1, 2)).collectList().block()).hasSize(2);
            assertThat(accounts.flux(Flux.just(1, 2)).blockFirst()).isEqualTo(1);
            assertThatThrownBy(() -> accounts.flux(Flux.error(new IllegalStateException("on purpose")))
                            .blockLast())
                    .isInstanceOf(IllegalStateException.class);
            rejected(() -> accounts.flux(Flux.empty()).blockLast());
        });
    }

    @Test
    void anExpressionThatFailsChargesAndDisturbsNothing(CapturedOutput output) {
        with(accounts -> {
            assertThat(accounts.broken()).isEqualTo("fine");
            rejected(accounts::broken);
        });
        assertThat(output)
                .containsOnlyOnce("the request stays charged")
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

    static class Accounts {

        @RateLimiter(name = "accounts", limit = 1, window = "1h", key = "#user", chargeIf = "!#result")
        public boolean login(String user, String password) {
            return password.equals("right");
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
