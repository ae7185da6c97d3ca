package dev.limiter.failover;

import dev.limiter.Decision;
import dev.limiter.TimeSource;
import dev.limiter.spi.ReturningFuture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Waits for replies within a budget, and cancels those that do not come. A missing reply may only be unread, so the
 * thread that reads replies is awaited, for ten budgets at most. If that thread or the waiting one was late, the reply
 * has another budget: a slow JVM is no outage. Immutable.
 */
public final class Timeouts {

    /** The reading thread is awaited for this many budgets. */
    static final int MOST_LATE = 10;

    private static final CompletableFuture<Boolean> DONE = CompletableFuture.completedFuture(true);

    private final Function<Throwable, RuntimeException> failures;
    private final Supplier<CompletableFuture<Boolean>> reading;

    /** {@code failures}: the exception to throw for the failure of a call. */
    public Timeouts(Function<Throwable, RuntimeException> failures) {
        this(failures, () -> DONE);
    }

    /**
     * {@code reading}: completes with true when the replies that have come are read, see {@link
     * RemoteStorage#answersRead}; with false if that took {@link #MOST_LATE} budgets. Never fails.
     */
    Timeouts(Function<Throwable, RuntimeException> failures, Supplier<CompletableFuture<Boolean>> reading) {
        this.failures = failures;
        this.reading = reading;
    }

    /** The reply, or a failure if it does not come in time. Blocks; an interrupted thread stays interrupted. */
    public <T> T join(CompletionStage<T> answer, Duration timeout) {
        return join(answer, Budget.blocking(timeout, TimeSource.system()));
    }

    <T> T join(CompletionStage<T> answer, Budget budget) {
        try {
            return within(answer.toCompletableFuture(), budget).join();
        } catch (CompletionException e) {
            throw failures.apply(e);
        }
    }

    /** The reply, or a failure if it does not come within the budget; then it is cancelled. */
    public <T> CompletableFuture<T> within(CompletableFuture<T> answer, Budget budget) {
        return budget.await(answer)
                .thenCompose(done -> done ? CompletableFuture.completedFuture(budget) : afterReader(answer, budget))
                .thenCompose(used -> answerOr(answer, used));
    }

    /** Waits for the reader of a late reply; completes with the budget that was used up. */
    private CompletableFuture<Budget> afterReader(CompletableFuture<?> answer, Budget budget) {
        CompletableFuture<Boolean> read = reading.get();
        return budget.again(MOST_LATE)
                .await(CompletableFuture.anyOf(answer, read))
                .thenCompose(any -> {
                    // a reader that does not run at all is not late: it has nothing to read
                    Budget used = read.getNow(false) ? budget : budget.again(1);
                    long late = used.late();
                    return late == 0
                            ? CompletableFuture.completedFuture(used)
                            : budget.again(1).atMost(late).await(answer).thenApply(done -> used);
                });
    }

    /**
     * The reply to a probe, or a failure if it does not come in time. After a late reader it has another budget:
     * however slow this JVM is, the failure is one of the storage. Takes some twenty budgets at most.
     */
    <T> CompletableFuture<T> patiently(CompletableFuture<T> answer, Budget budget) {
        return budget.await(answer)
                .thenCompose(done -> done ? DONE : reading.get())
                .thenCompose(read -> read && budget.late() > 0 ? readAgain(answer, budget) : DONE)
                .thenCompose(read -> answerOr(answer, budget.again(1)));
    }

    private CompletableFuture<Boolean> readAgain(CompletableFuture<?> answer, Budget budget) {
        return budget.again(1).await(answer).thenCompose(done -> done ? DONE : reading.get());
    }

    private <T> CompletableFuture<T> answerOr(CompletableFuture<T> answer, Budget used) {
        if (answer.cancel(true)) {
            return CompletableFuture.failedFuture(StorageUnavailableException.timedOut(used));
        }
        return answer.isCompletedExceptionally()
                ? answer.exceptionally(failure -> {
                    throw failures.apply(failure);
                })
                : answer;
    }

    /** The future of a call that may also throw. */
    static <T> CompletableFuture<T> started(Supplier<? extends CompletionStage<T>> call) {
        try {
            return call.get().toCompletableFuture();
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    /** The same decision, given back if the returned future is cancelled first. */
    public static CompletableFuture<Decision> orGiveBack(CompletableFuture<Decision> answer) {
        return new ReturningFuture<>(Decision::giveBack).handedBy(answer);
    }
}
