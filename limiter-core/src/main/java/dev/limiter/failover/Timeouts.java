package dev.limiter.failover;

import dev.limiter.Decision;
import dev.limiter.ReturningFuture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for answers, for a limited time. An answer that is granted later is given back, since no caller has it
 * any more. Immutable.
 */
public final class Timeouts {

    private final StorageExceptionTranslator errors;

    /** {@code errors}: what to fail with. */
    public Timeouts(StorageExceptionTranslator errors) {
        this.errors = errors;
    }

    /** Cancels what is not there in time. An interrupted thread waits as well, for no longer, and stays interrupted. */
    public <T> T join(CompletionStage<T> answer, Duration timeout) {
        return join(answer, Budget.of(timeout));
    }

    /** The same for what is left of a budget. */
    public <T> T join(CompletionStage<T> answer, Budget budget) {
        CompletableFuture<T> future = answer.toCompletableFuture();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return inTime(future, budget);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (TimeoutException e) {
            return orElse(future, errors.timedOut(budget));
        } catch (ExecutionException e) {
            throw errors.failure(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static <T> T inTime(CompletableFuture<T> future, Budget budget)
            throws TimeoutException, InterruptedException, ExecutionException {
        try {
            return future.get(budget.left(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            long late = budget.late();
            if (late == 0) {
                throw e;
            }
            return future.get(late, TimeUnit.NANOSECONDS);
        }
    }

    /** The answer if it came just now, since cancelling does not give it back then. */
    private <T> T orElse(CompletableFuture<T> future, StorageUnavailableException late) {
        if (future.cancel(true)) {
            throw late;
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw errors.failure(e);
        }
    }

    /** The same without blocking. */
    public CompletableFuture<Decision> within(CompletableFuture<Decision> answer, Budget budget) {
        return limited(orGiveBack(answer), budget);
    }

    /** Fails if there is no answer in time. */
    <T> CompletableFuture<T> limited(CompletableFuture<T> answer, Budget budget) {
        return answer.orTimeout(budget.left(), TimeUnit.NANOSECONDS).exceptionally(failure -> {
            throw failureOf(failure, budget);
        });
    }

    private RuntimeException failureOf(Throwable failure, Budget budget) {
        boolean late = failure instanceof TimeoutException || failure.getCause() instanceof TimeoutException;
        return late ? errors.timedOut(budget) : errors.failure(failure);
    }

    /** The same answer, given back if it comes when this one is cancelled or complete otherwise. */
    public static CompletableFuture<Decision> orGiveBack(CompletableFuture<Decision> answer) {
        return new ReturningFuture<>(Decision::giveBack).handedBy(answer);
    }
}
