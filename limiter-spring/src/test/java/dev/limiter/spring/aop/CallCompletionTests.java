package dev.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import dev.limiter.RateLimitExceededException;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.decide.CurrentRequest;
import dev.limiter.spring.decide.DecisionReports;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.key.SecretValues;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.env.StandardEnvironment;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The completion of a call that holds the only permit of one rule and, until its end, a permit of a rule with
 * charge-if.
 */
class CallCompletionTests {

    private final PermitHolders holders = new PermitHolders(() -> 0);
    private final Service service = limited(new Service());

    static Stream<Consumer<CompletableFuture<?>>> completions() {
        return Stream.of(
                future -> future.complete(null),
                future -> future.completeExceptionally(new IllegalStateException("on purpose")),
                future -> future.cancel(true));
    }

    @Test
    void isTheReturnOfAMethod() {
        assertThat(service.call(() -> {
                    isRunning();
                    return "done";
                }))
                .isEqualTo("done");
        assertThat(service.call(() -> null)).isNull();
        isOver();
    }

    @Test
    void isTheExceptionOfAMethod() {
        IllegalStateException failure = new IllegalStateException("on purpose");

        assertThatThrownBy(() -> service.call(() -> {
                    throw failure;
                }))
                .isSameAs(failure);

        isOver();
    }

    @ParameterizedTest
    @MethodSource("completions")
    void isTheCompletionOfAFutureBeforeItsDependentsRun(Consumer<CompletableFuture<?>> completion) {
        CompletableFuture<Object> source = new CompletableFuture<>();
        CompletableFuture<Object> call = call(source);
        CompletableFuture<Object> next = call.handle((value, failure) -> service.call(() -> "next"));
        isRunning();

        completion.accept(source);

        assertThat(next).isCompletedWithValue("next");
        assertThat(call.isCompletedExceptionally()).isEqualTo(source.isCompletedExceptionally());
    }

    @ParameterizedTest
    @MethodSource("completions")
    void isTheCompletionByTheCaller(Consumer<CompletableFuture<?>> completion) {
        CompletableFuture<Object> source = new CompletableFuture<>();
        CompletableFuture<Object> call = call(source);
        CompletableFuture<Object> next = call.handle((value, failure) -> service.call(() -> "next"));

        completion.accept(call);

        assertThat(next).isCompletedWithValue("next");
        assertThat(source).isDone();
        assertThat(source.isCancelled()).isEqualTo(call.isCancelled());
    }

    @ParameterizedTest
    @MethodSource("completions")
    void isTheCompletionOfAFutureThatHasToStayAsItIs(Consumer<CompletableFuture<?>> completion) {
        OwnFuture source = new OwnFuture();
        assertThat(service.own(source)).isSameAs(source);
        assertThatThrownBy(() -> service.own(source)).isInstanceOf(RateLimitExceededException.class);

        completion.accept(source);

        assertThat(service.own(source)).isSameAs(source);
    }

    @Test
    void isTheEndOfAMono() {
        Sinks.One<Object> source = Sinks.one();
        CompletableFuture<Object> call = call(source.asMono()).toFuture();
        isRunning();
        source.tryEmitValue("done");
        assertThat(call).isCompletedWithValue("done");
        isOver();

        assertThat(call(Mono.empty()).toFuture()).isCompletedWithValue(null);
        isOver();

        assertThat(call(Mono.error(new IllegalStateException("on purpose"))).toFuture())
                .isCompletedExceptionally();
        isOver();
    }

    @Test
    void isTheEndOfAFlux() {
        Sinks.Many<Object> source = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<List<Object>> call =
                call(source.asFlux()).collectList().toFuture();
        source.tryEmitNext("first");
        isRunning();
        source.tryEmitComplete();
        assertThat(call).isCompleted();
        isOver();

        assertThat(call(Flux.error(new IllegalStateException("on purpose")))
                        .collectList()
                        .toFuture())
                .isCompletedExceptionally();
        isOver();
    }

    /** Concurrency permits are held until the source of the work is cancelled. */
    @Test
    void isTheCancellationOfAPublisherOnceItsSourceIsCancelled() {
        AtomicLong held = new AtomicLong();
        Runnable cancellation = () -> held.set(holders.permits("pool"));

        Disposable mono = call(Mono.never().doOnCancel(cancellation)).subscribe();
        isRunning();
        mono.dispose();
        assertThat(held.getAndSet(0)).isEqualTo(1);
        isOver();

        Disposable flux = call(Flux.never().doOnCancel(cancellation)).subscribe();
        isRunning();
        flux.dispose();
        assertThat(held).hasValue(1);
        isOver();
    }

    @Test
    void settlesThoughAReleaseFails() {
        failOnce();
        assertThatThrownBy(() -> service.call(() -> "done")).hasMessage("on purpose");
        isOver();

        failOnce();
        CompletableFuture<Object> source = new CompletableFuture<>();
        CompletableFuture<Object> call = call(source);
        source.complete("done");
        assertThat(call).isCompletedWithValue("done");
        isOver();
    }

    @Test
    void leavesTheResultsOfOtherCallsAsTheyAre() {
        CompletableFuture<Object> future = new CompletableFuture<>();
        Mono<Object> mono = Mono.never();

        assertThat(service.charged(() -> future)).isSameAs(future);
        assertThat(service.charged(() -> mono)).isSameAs(mono);
    }

    /** Returns the next release of a permit. */
    private void failOnce() {
        holders.onRelease((permit, time) -> {
            holders.onRelease((other, later) -> {});
            throw new IllegalStateException("on purpose");
        });
    }

    @SuppressWarnings("unchecked") // copies have the type of the original
    private <T> T call(T result) {
        return (T) Objects.requireNonNull(service.call(() -> result));
    }

    private void isRunning() {
        assertThat(holders.permits("pool")).isEqualTo(1);
        assertThatThrownBy(() -> service.call(() -> "rejected")).isInstanceOf(RateLimitExceededException.class);
    }

    private void isOver() {
        assertThat(holders.permits("pool")).isZero();
        assertThat(service.call(() -> "next")).isEqualTo("next");
    }

    private Service limited(Service target) {
        RateLimiters limiters =
                new RateLimiters(new InMemoryRateLimiterStorage(new RateLimiterFactory(), () -> 0, 1_000));
        ProxyFactory proxy = new ProxyFactory(target);
        proxy.setProxyTargetClass(true);
        proxy.addAdvice(new RateLimiterMethodInterceptor(
                new LimitedMethods(
                        TestRules.inForce(), TestRules.compiler(SecretValues.asTheyAre()), new StandardEnvironment()),
                new RuleDecider(
                        limiters,
                        limiters.storage(),
                        new DecisionReports(List.of(), List.of(), KeyHash.with("secret")),
                        holders),
                CurrentRequest.NONE));
        return (Service) proxy.getProxy(getClass().getClassLoader());
    }

    static class OwnFuture extends CompletableFuture<Object> {}

    static class Service {

        @RateLimiter(name = "pool", algorithm = Algorithm.CONCURRENCY, limit = 1)
        @RateLimiter(name = "free", limit = 1, window = "1h", chargeIf = "false")
        public @Nullable Object call(Supplier<? extends @Nullable Object> work) {
            return work.get();
        }

        @RateLimiter(name = "own-pool", algorithm = Algorithm.CONCURRENCY, limit = 1)
        @RateLimiter(name = "own-free", limit = 1, window = "1h", chargeIf = "false")
        public OwnFuture own(OwnFuture work) {
            return work;
        }

        @RateLimiter(name = "charged", limit = 100)
        public Object charged(Supplier<?> work) {
            return work.get();
        }
    }
}
