package dev.limiter.spring.decide;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a future that completes after an action on the result, because the callbacks of one future run in no
 * particular order. Completing the copy, for example by a time-out, completes the source first.
 */
final class CompletedAfter<T> extends CompletableFuture<T> {

    private final CompletionStage<T> source;

    private CompletedAfter(CompletionStage<T> source) {
        this.source = source;
    }

    /**
     * Returns the copy. If the method must return another type, returns the stage itself, and {@code action} runs at
     * about the same time.
     *
     * @param action takes the result and the failure, one of which is null
     */
    static Object of(
            CompletionStage<?> stage, Class<?> type, BiConsumer<@Nullable Object, @Nullable Throwable> action) {
        CompletionStage<?> copy = copy(stage, action);
        return type.isInstance(copy) ? copy : stage;
    }

    private static <T> CompletionStage<T> copy(
            CompletionStage<T> stage, BiConsumer<@Nullable Object, @Nullable Throwable> action) {
        CompletedAfter<T> copy = new CompletedAfter<>(stage);
        var unused = stage.whenComplete((value, failure) -> {
            try {
                action.accept(value, failure);
            } finally {
                copy.completeWith(value, failure);
            }
        });
        return copy;
    }

    private void completeWith(@Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            super.complete(value);
        } else {
            super.completeExceptionally(failure);
        }
    }

    @Override
    public boolean complete(@Nullable T value) {
        return throughSource(future -> future.complete(value), () -> super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return throughSource(
                future -> future.completeExceptionally(failure), () -> super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        return throughSource(future -> future.cancel(mayInterrupt), () -> {
            if (source instanceof Future<?> future && !(source instanceof CompletableFuture)) {
                future.cancel(mayInterrupt);
            }
            return super.cancel(mayInterrupt);
        });
    }

    /** Calls {@link #complete}, unlike the inherited method. */
    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        executor.execute(() -> {
            if (isDone()) {
                return;
            }
            try {
                complete(supplier.get());
            } catch (Throwable failure) {
                completeExceptionally(new CompletionException(failure));
            }
        });
        return this;
    }

    /**
     * Completes the source; {@code otherwise}: for a stage that only its own work can complete, such as a minimal one.
     */
    private boolean throughSource(Predicate<CompletableFuture<T>> completion, BooleanSupplier otherwise) {
        if (source instanceof CompletableFuture<T> future) {
            try {
                return completion.test(future);
            } catch (UnsupportedOperationException minimal) {
                return otherwise.getAsBoolean();
            }
        }
        return otherwise.getAsBoolean();
    }
}
