package dev.limiter.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A future whose result is given back where it comes too late: after the future was cancelled, given up or completed in
 * another way. So each result is either taken or given back, once. For storages, and for what decides without a thread.
 * Thread-safe; never blocks.
 */
public class ReturningFuture<T> extends CompletableFuture<T> {

    private final Consumer<? super T> giveBack;

    /** {@code giveBack}: called with each result that is not taken, in the thread that has it; does not block. */
    public ReturningFuture(Consumer<? super T> giveBack) {
        this.giveBack = giveBack;
    }

    /** Completes this with a result, or gives that back. */
    public final void hand(T result) {
        if (!complete(result)) {
            giveBack.accept(result);
        }
    }

    /** Has another stage complete this, once that is complete. Returns this. */
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

    /** The same through a function. Where this fails or is cancelled first, the source is cancelled. */
    public final <S> ReturningFuture<T> handedBy(
            CompletableFuture<S> source, Function<? super S, ? extends T> function) {
        var unused = whenComplete((result, failure) -> {
            if (failure != null) {
                source.cancel(true);
            }
        });
        return handedBy(source.thenApply(function));
    }

    /** Cancels this; or gives back the result, if it is there and its taker does without it. Called once. */
    public final void giveUp() {
        if (!cancel(true) && !isCompletedExceptionally()) {
            giveBack.accept(join());
        }
    }
}
