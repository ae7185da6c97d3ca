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
 * Waits for answers, for a limited time. An answer that is granted later is given back, since no caller has it any more.
 * A missing answer may merely be unread: the thread that reads answers is awaited, for ten budgets at most. Where that
 * thread is late, or the waiting thread, the answer has another budget. Immutable.
 */
public final class Timeouts {

    /** So many budgets the thread that reads answers may be late. */
    static final int MOST_LATE = 10;

    private static final CompletableFuture<Boolean> DONE = CompletableFuture.completedFuture(true);

    private final StorageExceptionTranslator errors;
    private final Supplier<CompletableFuture<Boolean>> reading;

    /** {@code errors}: what to fail with. */
    public Timeouts(StorageExceptionTranslator errors) {
        this(errors, () -> DONE);
    }

    /**
     * {@code reading}: true once the answers are read that have come, as {@link RemoteStorage#answersRead}; false if
     * that took {@link #MOST_LATE} budgets. Never fails.
     */
    Timeouts(StorageExceptionTranslator errors, Supplier<CompletableFuture<Boolean>> reading) {
        this.errors = errors;
        this.reading = reading;
    }

    /** Cancels what is not there in time. An interrupted thread waits as well, for no longer, and stays interrupted. */
    public <T> T join(CompletionStage<T> answer, Duration timeout) {
        return join(answer, Budget.of(timeout));
    }

    /** Cancels what is not there within the rest of a budget; otherwise as {@link #join(CompletionStage, Duration)}. */
    public <T> T join(CompletionStage<T> answer, Budget budget) {
        CompletableFuture<T> future = answer.toCompletableFuture();
        if (!future.isDone() && !isDone(future, budget)) {
            Budget used = readerAwaited(future, budget);
            if (future.cancel(true)) {
                throw errors.timedOut(used);
            }
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw errors.failure(e);
        }
    }

    /** Waits for the reader of an answer that was not there in time; returns the budget that was used up. */
    private Budget readerAwaited(CompletableFuture<?> answer, Budget budget) {
        CompletableFuture<Boolean> read = reading.get();
        if (!read.isDone()) {
            isDone(CompletableFuture.anyOf(answer, read), budget.again(MOST_LATE));
        }
        Budget used = used(budget, read);
        long late = used.late();
        if (late > 0) {
            isDone(answer, budget.again(1).atMost(late));
        }
        return used;
    }

    /** The budget, or a new one where the reader did not come at all: it is not late, it has nothing to read or write. */
    private static Budget used(Budget budget, CompletableFuture<Boolean> read) {
        return read.getNow(false) ? budget : Budget.of(budget.timeout());
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

    /** Fails if there is no answer in time, as {@link #join(CompletionStage, Budget)}, without blocking. */
    public CompletableFuture<Decision> within(CompletableFuture<Decision> answer, Budget budget) {
        return limited(orGiveBack(answer), budget);
    }

    /** Fails if there is no answer in time. */
    <T> CompletableFuture<T> limited(CompletableFuture<T> answer, Budget budget) {
        CompletableFuture<Budget> awaited = isDoneLater(answer, budget)
                .thenCompose(
                        done -> done ? CompletableFuture.completedFuture(budget) : readerAwaitedLater(answer, budget));
        return awaited.thenCompose(used -> answerOr(answer, used));
    }

    private CompletableFuture<Budget> readerAwaitedLater(CompletableFuture<?> answer, Budget budget) {
        CompletableFuture<Boolean> read = reading.get();
        return isDoneLater(CompletableFuture.anyOf(answer, read), budget.again(MOST_LATE))
                .thenCompose(any -> {
                    Budget used = used(budget, read);
                    return isDoneLater(answer, budget.again(1).atMost(used.late()))
                            .thenApply(done -> used);
                });
    }

    private static CompletableFuture<Boolean> isDoneLater(CompletableFuture<?> answer, Budget budget) {
        return answer.isDone()
                ? DONE
                : answer.handle((any, failure) -> true).completeOnTimeout(false, budget.left(), TimeUnit.NANOSECONDS);
    }

    /**
     * Fails without an answer in time. A late reader has another budget first: however slow this JVM is, the failure says
     * something about the storage. Takes some twenty budgets at most.
     */
    <T> CompletableFuture<T> patiently(CompletableFuture<T> answer, Budget budget) {
        return isDoneLater(answer, budget)
                .thenCompose(done -> done ? DONE : reading.get())
                .thenCompose(read -> read && budget.late() > 0 ? isReadAgain(answer, budget) : DONE)
                .thenCompose(read -> answerOr(answer, Budget.of(budget.timeout())));
    }

    private CompletableFuture<Boolean> isReadAgain(CompletableFuture<?> answer, Budget budget) {
        return isDoneLater(answer, budget.again(1)).thenCompose(done -> done ? DONE : reading.get());
    }

    /** Fails a missing answer; the failure is translated. */
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
