package dev.limiter.redis;

import dev.limiter.Decision;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for answers, for a limited time. What is granted later is given back: nobody knows of it who could. */
final class Waits {

    private Waits() {}

    /** Cancels what is not there in time. An interrupt stays. */
    static <T> T join(CompletionStage<T> answer, Duration timeout) {
        CompletableFuture<T> future = answer.toCompletableFuture();
        try {
            return future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return orElse(future, RedisUnavailableException.timedOut(timeout));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return orElse(future, new RedisUnavailableException("Interrupted while Redis was asked", null));
        } catch (ExecutionException e) {
            throw Failures.of(e);
        }
    }

    /** The answer if it came just now: then nobody else gives it back. */
    private static <T> T orElse(CompletableFuture<T> future, RedisUnavailableException late) {
        if (future.cancel(true)) {
            throw late;
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw Failures.of(e);
        }
    }

    /** The same without blocking. */
    static CompletableFuture<Decision> within(CompletableFuture<Decision> answer, Duration timeout) {
        return orGiveBack(answer)
                .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(failure -> {
                    throw failureOf(failure, timeout);
                });
    }

    /** What to fail with when a future failed that may take so long. */
    static RuntimeException failureOf(Throwable failure, Duration timeout) {
        boolean late = failure instanceof TimeoutException || failure.getCause() instanceof TimeoutException;
        return late ? RedisUnavailableException.timedOut(timeout) : Failures.of(failure);
    }

    /** The same answer, given back if it comes when this one is cancelled or complete otherwise. */
    static CompletableFuture<Decision> orGiveBack(CompletableFuture<Decision> answer) {
        CompletableFuture<Decision> awaited = new CompletableFuture<>();
        var unused = answer.whenComplete((decision, failure) -> {
            if (failure != null) {
                awaited.completeExceptionally(failure);
            } else if (!awaited.complete(decision)) {
                decision.giveBack();
            }
        });
        return awaited;
    }
}
