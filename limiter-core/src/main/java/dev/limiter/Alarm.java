package dev.limiter;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/** Wakes a waiter that has no thread: a timer that is set anew when its turn moves, and the future that it completes. */
final class Alarm {

    /** Not the default of futures, which starts a thread for each where there are two processors. */
    private static final Executor POOL = ForkJoinPool.getCommonPoolParallelism() > 0
            ? ForkJoinPool.commonPool()
            : new CompletableFuture<>().defaultExecutor();

    private final CompletableFuture<Decision> future = new CompletableFuture<>();
    private final WaitingRoom room;
    private final WaitTimer timer;
    private final TimeSource clock;
    private @Nullable Waiter waiter;
    private Runnable cancel = () -> {};

    Alarm(WaitingRoom room, WaitTimer timer, TimeSource clock) {
        this.room = room;
        this.timer = timer;
        this.clock = clock;
    }

    /** The future of a waiter that was put in line; whoever else completes it, cancels it or not, takes the waiter out. */
    CompletableFuture<Decision> of(Waiter waiter) {
        synchronized (this) {
            this.waiter = waiter;
        }
        var unused = future.whenComplete((decision, failure) -> {
            if (decision == null || decision != waiter.answer()) {
                withdraw(waiter);
            }
        });
        wake();
        return future;
    }

    private void withdraw(Waiter waiter) {
        room.leave(waiter);
        Decision undelivered = waiter.answer();
        if (undelivered != null) {
            undelivered.giveBack();
        }
    }

    /** Completes the future if there is an answer, else sets the timer anew. */
    synchronized void wake() {
        cancel.run();
        if (waiter == null || future.isDone()) {
            return;
        }
        if (waiter.isDone()) {
            Waiter done = waiter;
            // on a thread of the common pool: what hangs on the future must not hold the timer up
            POOL.execute(() -> complete(done));
        } else if (waiter.due() != Waiter.UNDECIDED) {
            long rest = Math.max(waiter.due() - clock.epochNanos(), 0);
            Waiter due = waiter;
            cancel = timer.after(rest, () -> ring(due));
        }
    }

    private void complete(Waiter done) {
        Throwable failure = done.failure();
        if (failure != null) {
            future.completeExceptionally(failure);
        } else {
            future.complete(done.outcome());
        }
    }

    private void ring(Waiter due) {
        room.due(due);
        if (!due.isDone()) {
            wake();
        }
    }
}
