package dev.limiter.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A future that gives its result back if it comes too late, that is, after the future was cancelled or completed in
 * another way. So each result is either used or given back, exactly once. For storages and other asynchronous code.
 * Thread-safe; never blocks.
 */
public class ReturningFuture<T> extends CompletableFuture<T> {

    private final Consumer<? super T> giveBack;

    /**
     * Creates a future.
     *
     * @param giveBack called with each result that is not used, in the thread that produced it; must not block
     */
    public ReturningFuture(Consumer<? super T> giveBack) {
        this.giveBack = giveBack;
    }

    /** Completes this future with a result, or gives the result back if it is already complete. */
    public final void hand(T result) {
        if (!complete(result)) {
            giveBack.accept(result);
        }
    }

    /** Completes this future with the result of another stage, and returns this future. */
    public final ReturningFuture<T> handedBy(CompletionStage<T> stage) {
        var unused = stage.whenComplete((result, failure) -> {
            if (failure == null) {
                hand(result);
            } else {
                completeExceptionally(failure);
            }
        });
        return this;
    }

    /**
     * Completes this future with the mapped result of {@code source}. If this future fails or is cancelled first,
     * {@code source} is cancelled.
     */
    public final <S> ReturningFuture<T> handedBy(
            CompletableFuture<S> source, Function<? super S, ? extends T> function) {
        var unused = whenComplete((result, failure) -> {
            if (failure != null) {
                source.cancel(true);
            }
        });
        return handedBy(source.thenApply(function));
    }

    /** Cancels this future, or gives back the result if it is already complete and no longer needed. Call this once. */
    public final void giveUp() {
        if (!cancel(true) && !isCompletedExceptionally()) {
            giveBack.accept(join());
        }
    }
}
