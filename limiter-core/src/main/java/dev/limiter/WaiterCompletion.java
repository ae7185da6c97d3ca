package dev.limiter;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Wakes a waiter without a thread: a timer set for its turn, and the future to complete. */
final class WaiterCompletion {

    private final CompletableFuture<Decision> future = new CompletableFuture<>();
    private final WaitingRoom waitingRoom;
    private final WaitTimer timer;
    private final TimeSource clock;
    private final AsyncExecutor handOver;
    private @Nullable Waiter waiter;
    private @Nullable WaitNotifier report;
    private Runnable cancel = () -> {};

    /** {@code handOver}: completes the future, and so runs what hangs on it. */
    WaiterCompletion(WaitingRoom waitingRoom, WaitTimer timer, TimeSource clock, AsyncExecutor handOver) {
        this.waitingRoom = waitingRoom;
        this.timer = timer;
        this.clock = clock;
        this.handOver = handOver;
    }

    /** The future of a waiter that is queued; any other completion, cancelling or not, takes the waiter out. */
    CompletableFuture<Decision> of(Waiter waiter, WaitNotifier report) {
        synchronized (this) {
            this.waiter = waiter;
            this.report = report;
        }
        var unused = future.whenComplete((decision, failure) -> {
            if (decision == null || decision != waiter.answer()) {
                waitingRoom.withdraw(waiter);
                report.end(null);
            }
        });
        wake();
        return future;
    }

    /** Completes the future if there is an answer, else sets the timer anew. */
    void wake() {
        Waiter done = setTimer();
        if (done != null) {
            handOver.execute(() -> complete(done));
        } else {
            begin();
        }
    }

    private void begin() {
        Waiter current;
        WaitNotifier told;
        synchronized (this) {
            current = waiter;
            told = report;
        }
        if (current != null && told != null) {
            told.begin(current);
        }
    }

    /** The waiter if it is done; else the timer is set. */
    private synchronized @Nullable Waiter setTimer() {
        cancel.run();
        Waiter current = waiter;
        if (current == null || future.isDone() || current.isDone()) {
            return future.isDone() ? null : current;
        }
        if (current.due() != Waiter.UNDECIDED) {
            long rest = Math.max(current.due() - clock.epochNanos(), 0);
            cancel = timer.after(rest, () -> ring(current));
        }
        return null;
    }

    private void complete(Waiter done) {
        Throwable failure = done.failure();
        end(done);
        if (failure != null) {
            future.completeExceptionally(failure);
        } else {
            future.complete(done.answer());
        }
    }

    private void end(Waiter done) {
        WaitNotifier told;
        synchronized (this) {
            told = report;
        }
        if (told != null) {
            told.end(done.answer());
        }
    }

    private void ring(Waiter due) {
        waitingRoom.tend(due);
        if (!due.isDone()) {
            wake();
        }
    }
}
