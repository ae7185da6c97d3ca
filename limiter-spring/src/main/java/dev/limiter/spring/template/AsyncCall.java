package dev.limiter.spring.template;

import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.decide.CallCompletion;
import dev.limiter.spring.decide.Verdict;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The result of work that starts once it is permitted. Cancelling it before refunds the permits. */
final class AsyncCall<T extends @Nullable Object> extends CompletableFuture<T> {

    private final Supplier<? extends CompletionStage<T>> work;

    AsyncCall(Supplier<? extends CompletionStage<T>> work) {
        this.work = work;
    }

    /** Starts the work after a decision. Returns this. */
    AsyncCall<T> after(ReturningFuture<Verdict> decision) {
        cancels(decision);
        var unused = decision.whenComplete((verdict, failure) -> {
            if (failure != null) {
                completeExceptionally(failure);
            } else if (isDone()) {
                verdict.giveBack();
            } else {
                begin(verdict);
            }
        });
        return this;
    }

    @SuppressWarnings("unchecked") // the stage that the work returns, or a copy
    private void begin(Verdict verdict) {
        CompletionStage<T> stage;
        try {
            RuleTemplate.permitted(verdict);
            stage = (CompletionStage<T>) Objects.requireNonNull(
                    CallCompletion.inCode(verdict).<RuntimeException>proceed(work::get, null),
                    "work returned null instead of a CompletionStage");
        } catch (Throwable failure) {
            completeExceptionally(failure);
            return;
        }
        if (stage instanceof Future<?> future) {
            cancels(future);
        }
        var unused = stage.whenComplete((value, failure) -> {
            if (failure == null) {
                complete(value);
            } else {
                completeExceptionally(failure);
            }
        });
    }

    private void cancels(Future<?> other) {
        var unused = whenComplete((value, failure) -> {
            if (isCancelled()) {
                other.cancel(true);
            }
        });
    }
}
