package dev.limiter.spring.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a future that completes only after an action on the result: the callbacks of one future run in no
 * particular order.
 */
final class CompletedAfter {

    private CompletedAfter() {}

    /**
     * The copy, or the stage itself if the method that returned it has to return another type; then {@code action} is
     * called at about the same time.
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
        CompletableFuture<T> copy = new CompletableFuture<>();
        var unused = stage.whenComplete((value, failure) -> {
            action.accept(value, failure);
            complete(copy, value, failure);
        });
        unused = copy.whenComplete((value, failure) -> {
            if (copy.isCancelled() && stage instanceof Future<?> source) {
                source.cancel(true);
            } else if (stage instanceof CompletableFuture<T> source) {
                complete(source, value, failure);
            }
        });
        return copy;
    }

    /**
     * Completes the source as the holder of the copy did, such as by a time-out; does nothing if the
     * completion came from here.
     */
    private static <T> void complete(CompletableFuture<T> future, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(failure);
        }
    }
}
