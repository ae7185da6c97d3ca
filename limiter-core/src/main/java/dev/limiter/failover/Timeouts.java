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
 * Waits for replies within a budget, and cancels late ones. A missing reply may have arrived without being read, so the
 * thread that reads replies is awaited, for at most ten budgets. If that thread or the waiting one was late, the reply
 * gets another budget: a slow JVM is not an outage. Immutable.
 */
public final class Timeouts {

    /** The reading thread is awaited for up to this many budgets. */
    static final int MOST_LATE = 10;

    private static final CompletableFuture<Boolean> DONE = CompletableFuture.completedFuture(true);

    private final Function<Throwable, RuntimeException> failures;
    private final Supplier<CompletableFuture<Boolean>> reading;

    /** Creates timeouts; {@code failures} maps the failure of a call to the exception to throw. */
    public Timeouts(Function<Throwable, RuntimeException> failures) {
        this(failures, () -> DONE);
    }

    /**
     * Creates timeouts. {@code reading} completes with true when the replies that have arrived are read (see {@link
     * RemoteStorage#answersRead}), or with false after {@link #MOST_LATE} budgets. It never fails.
     */
    Timeouts(Function<Throwable, RuntimeException> failures, Supplier<CompletableFuture<Boolean>> reading) {
        this.failures = failures;
        this.reading = reading;
    }

    /** Returns the reply, or throws if it does not come in time. Blocks; the interrupt status is kept. */
    public <T> T join(CompletionStage<T> reply, Duration timeout) {
        return join(reply, Budget.blocking(timeout, TimeSource.system()));
    }

    <T> T join(CompletionStage<T> reply, Budget budget) {
        try {
            return within(reply.toCompletableFuture(), budget).join();
        } catch (CompletionException e) {
            throw failures.apply(e);
        }
    }

    /** Returns the reply; fails if it does not come within the budget, and cancels it. */
    public <T> CompletableFuture<T> within(CompletableFuture<T> reply, Budget budget) {
        return budget.await(reply)
                .thenCompose(done -> done ? CompletableFuture.completedFuture(budget) : afterReader(reply, budget))
                .thenCompose(used -> replyOr(reply, used));
    }

    /** Waits for the reader of a late reply; completes with the budget that was used up. */
    private CompletableFuture<Budget> afterReader(CompletableFuture<?> reply, Budget budget) {
        CompletableFuture<Boolean> read = reading.get();
        return budget.again(MOST_LATE)
                .await(CompletableFuture.anyOf(reply, read))
                .thenCompose(any -> {
                    // a reader that does not run has nothing to read, so it is not late
                    Budget used = read.getNow(false) ? budget : budget.again(1);
                    long late = used.late();
                    return late == 0
                            ? CompletableFuture.completedFuture(used)
                            : budget.again(1).atMost(late).await(reply).thenApply(done -> used);
                });
    }

    /**
     * Returns the reply to a probe; fails if it does not come in time. After a late reader it gets another budget, so
     * that a failure is due to the storage, however slow this JVM is. Takes about twenty budgets at most.
     */
    <T> CompletableFuture<T> patiently(CompletableFuture<T> reply, Budget budget) {
        return budget.await(reply)
                .thenCompose(done -> done ? DONE : reading.get())
                .thenCompose(read -> read && budget.late() > 0 ? readAgain(reply, budget) : DONE)
                .thenCompose(read -> replyOr(reply, budget.again(1)));
    }

    private CompletableFuture<Boolean> readAgain(CompletableFuture<?> reply, Budget budget) {
        return budget.again(1).await(reply).thenCompose(done -> done ? DONE : reading.get());
    }

    private <T> CompletableFuture<T> replyOr(CompletableFuture<T> reply, Budget used) {
        if (reply.cancel(true)) {
            return CompletableFuture.failedFuture(StorageUnavailableException.timedOut(used));
        }
        return reply.isCompletedExceptionally()
                ? reply.exceptionally(failure -> {
                    throw failures.apply(failure);
                })
                : reply;
    }

    /** Returns the future of a call, including a call that throws. */
    static <T> CompletableFuture<T> started(Supplier<? extends CompletionStage<T>> call) {
        try {
            return call.get().toCompletableFuture();
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    /** Returns a future with the same decision, which is returned to the storage if the future is cancelled first. */
    public static CompletableFuture<Decision> orGiveBack(CompletableFuture<Decision> reply) {
        return new ReturningFuture<>(Decision::giveBack).handedBy(reply);
    }
}
