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
import java.util.function.Supplier;

/**
 * Waits for answers, for a limited time. An answer that is granted later is given back, since no caller has it
 * any more. An answer that is not there in time may not have been read yet: then the thread that reads answers is
 * awaited, for ten budgets at most, and where that is late, or the waiting thread is, the answer has another budget.
 * Immutable.
 */
public final class Timeouts {

    /** So many budgets the thread that reads answers may be late. */
    private static final int MOST_LATE = 10;

    private static final CompletableFuture<Void> READ = CompletableFuture.completedFuture(null);
    private static final CompletableFuture<Boolean> DONE = CompletableFuture.completedFuture(true);

    private final StorageExceptionTranslator errors;
    private final Supplier<? extends CompletionStage<?>> reading;

    /** {@code errors}: what to fail with. */
    public Timeouts(StorageExceptionTranslator errors) {
        this(errors, () -> READ);
    }

    /** {@code reading}: complete once the answers are read that have come, as {@link RemoteStorage#answersRead}. */
    Timeouts(StorageExceptionTranslator errors, Supplier<? extends CompletionStage<?>> reading) {
        this.errors = errors;
        this.reading = reading;
    }

    /** Cancels what is not there in time. An interrupted thread waits as well, for no longer, and stays interrupted. */
    public <T> T join(CompletionStage<T> answer, Duration timeout) {
        return join(answer, Budget.of(timeout));
    }

    /** The same for what is left of a budget. */
    public <T> T join(CompletionStage<T> answer, Budget budget) {
        CompletableFuture<T> future = answer.toCompletableFuture();
        if (!isDone(future, budget) && !isReadLate(future, budget) && future.cancel(true)) {
            throw errors.timedOut(budget);
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw errors.failure(e);
        }
    }

    /** Whether an answer that was not there in time is there once the thread that reads has run, or soon after. */
    private boolean isReadLate(CompletableFuture<?> answer, Budget budget) {
        Budget again = budget.again(MOST_LATE);
        CompletableFuture<?> read = read();
        if (!read.isDone()) {
            isDone(CompletableFuture.anyOf(answer, read), again);
        }
        long late = budget.late();
        return late == 0 ? answer.isDone() : isDone(answer, again.atMost(late));
    }

    /** Waits so long, also when interrupted, which the thread is afterwards. */
    private static boolean isDone(CompletableFuture<?> answer, Budget budget) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    answer.get(budget.left(), TimeUnit.NANOSECONDS);
                    return true;
                } catch (ExecutionException e) {
                    return true;
                } catch (TimeoutException e) {
                    return false;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The same without blocking. */
    public CompletableFuture<Decision> within(CompletableFuture<Decision> answer, Budget budget) {
        return limited(orGiveBack(answer), budget);
    }

    /** Fails if there is no answer in time. */
    <T> CompletableFuture<T> limited(CompletableFuture<T> answer, Budget budget) {
        CompletableFuture<Boolean> awaited = answer.isDone()
                ? DONE
                : isDoneLater(answer, budget).thenCompose(done -> done ? DONE : isReadLater(answer, budget));
        return awaited.thenCompose(done -> answerOr(answer, budget));
    }

    private CompletableFuture<Boolean> isReadLater(CompletableFuture<?> answer, Budget budget) {
        Budget again = budget.again(MOST_LATE);
        CompletableFuture<?> read = read();
        return isDoneLater(CompletableFuture.anyOf(answer, read), again)
                .thenCompose(any -> isDoneLater(answer, again.atMost(budget.late())));
    }

    private static CompletableFuture<Boolean> isDoneLater(CompletableFuture<?> answer, Budget budget) {
        return answer.handle((any, failure) -> true).completeOnTimeout(false, budget.left(), TimeUnit.NANOSECONDS);
    }

    /**
     * Fails if there is no answer in time, or for a time-out after the thread that reads has run if that is late: however
     * slow this JVM is, that says something about the storage. May take any time.
     */
    <T> CompletableFuture<T> patiently(CompletableFuture<T> answer, Budget budget) {
        return isDoneLater(answer, budget)
                .thenCompose(done -> done ? READ : read())
                .thenCompose(read -> answer.isDone() || budget.late() == 0 ? READ : isReadAgain(answer, budget))
                .thenCompose(read -> answerOr(answer, Budget.of(budget.timeout())));
    }

    private CompletableFuture<Void> isReadAgain(CompletableFuture<?> answer, Budget budget) {
        return isDoneLater(answer, budget.again(1)).thenCompose(done -> done ? READ : read());
    }

    private CompletableFuture<Void> read() {
        return reading.get().<Void>handle((read, failure) -> null).toCompletableFuture();
    }

    /** Fails where the answer is not there, and gives back a grant that comes later. */
    private <T> CompletableFuture<T> answerOr(CompletableFuture<T> answer, Budget budget) {
        if (!answer.isDone()) {
            answer.completeExceptionally(errors.timedOut(budget));
        }
        return answer.exceptionally(failure -> {
            throw errors.failure(failure);
        });
    }

    /** The same answer, given back if it comes when this one is cancelled or complete otherwise. */
    public static CompletableFuture<Decision> orGiveBack(CompletableFuture<Decision> answer) {
        return new ReturningFuture<>(Decision::giveBack).handedBy(answer);
    }
}
