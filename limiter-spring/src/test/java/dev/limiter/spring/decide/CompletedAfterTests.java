package dev.limiter.spring.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Permits are released before anyone sees the result of asynchronous work. */
class CompletedAfterTests {

    private final AtomicInteger actions = new AtomicInteger();

    static Stream<Consumer<CompletableFuture<String>>> completions() {
        return Stream.of(
                future -> assertThat(future.complete("by the caller")).isTrue(),
                future -> assertThat(future.completeExceptionally(new IllegalStateException("on purpose")))
                        .isTrue(),
                future -> assertThat(future.cancel(true)).isTrue(),
                future -> future.orTimeout(1, TimeUnit.NANOSECONDS),
                future -> future.completeOnTimeout("too late", 1, TimeUnit.NANOSECONDS),
                future -> future.completeAsync(() -> "elsewhere"),
                future -> future.completeAsync(() -> "here", Runnable::run),
                future -> future.completeAsync(
                        () -> {
                            throw new IllegalStateException("on purpose");
                        },
                        Runnable::run));
    }

    /** Dependents of one future run in no particular order: the last one that was registered runs first. */
    @ParameterizedTest
    @MethodSource("completions")
    void dependentsRunAfterTheActionWhoeverCompletes(Consumer<CompletableFuture<String>> completion) {
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> copy = copy(source);
        CompletableFuture<Integer> seen = copy.handle((value, failure) -> actions.get());
        completion.accept(copy);
        assertThat(seen.join()).isEqualTo(1);
        assertThat(copy).isDone();
        assertThat(source).isDone();
        assertThat(source.isCancelled()).isEqualTo(copy.isCancelled());
        assertThat(source.isCompletedExceptionally()).isEqualTo(copy.isCompletedExceptionally());
        assertThat(copy.complete("again")).isFalse();
        assertThat(actions).hasValue(1);
    }

    @ParameterizedTest
    @MethodSource("completions")
    void dependentsRunAfterEachOfTwoActions(Consumer<CompletableFuture<String>> completion) {
        CompletableFuture<String> copy = copy(copy(new CompletableFuture<>()));
        CompletableFuture<Integer> seen = copy.handle((value, failure) -> actions.get());
        completion.accept(copy);
        assertThat(seen.join()).isEqualTo(2);
    }

    /** Its work continues, whatever happens to the copy. */
    @ParameterizedTest
    @MethodSource("completions")
    void stageThatCannotBeCompletedIsWaitedFor(Consumer<CompletableFuture<String>> completion) {
        for (boolean minimal : List.of(true, false)) {
            actions.set(0);
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> copy = copy(minimal ? work.minimalCompletionStage() : work.thenApply(w -> w));
            CompletableFuture<Void> seen = copy.handle((value, failure) -> null);
            completion.accept(copy);
            seen.join();
            assertThat(work).isNotDone();
            assertThat(actions).hasValue(minimal ? 0 : 1);
            work.complete("done");
            assertThat(actions).hasValue(1);
        }
    }

    @Test
    void copyOfACompletedStageIsCompleted() {
        CompletableFuture<String> copy = copy(CompletableFuture.completedFuture("done"));
        assertThat(copy).isCompletedWithValue("done");
        assertThat(actions).hasValue(1);
    }

    @Test
    void stageThatHasToBeOfAnotherTypeIsNotCopied() {
        class Own extends CompletableFuture<String> {}
        Own own = new Own();
        assertThat(CompletedAfter.of(own, Own.class, (value, failure) -> actions.incrementAndGet()))
                .isSameAs(own);
        own.complete("done");
        assertThat(actions).hasValue(1);
    }

    @SuppressWarnings("unchecked")
    private CompletableFuture<String> copy(CompletionStage<String> stage) {
        return (CompletableFuture<String>)
                CompletedAfter.of(stage, CompletableFuture.class, (value, failure) -> actions.incrementAndGet());
    }
}
