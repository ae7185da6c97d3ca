package dev.limiter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A future whose result is given back where it comes too late: after the future was cancelled, given up or completed in
 * another way. So each result is either taken or given back, once. Thread-safe.
 */
class ReturningFuture<T> extends CompletableFuture<T> {

    private final Consumer<? super T> giveBack;

    ReturningFuture(Consumer<? super T> giveBack) {
        this.giveBack = giveBack;
    }

    /** Completes this with a result, or gives that back. */
    final void hand(T result) {
        if (!complete(result)) {
            giveBack.accept(result);
        }
    }

    /** Has another stage complete this, once that is complete. Returns this. */
    final ReturningFuture<T> handedBy(CompletionStage<T> stage) {
        var unused = stage.whenComplete((result, failure) -> {
            if (failure == null) {
                hand(result);
            } else {
                completeExceptionally(failure);
            }
        });
        return this;
    }
}
