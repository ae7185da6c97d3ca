package dev.limiter;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A caller that blocks on a platform thread. */
final class Caller {

    private final CompletableFuture<Decision> answer = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean interrupted;

    Caller(Supplier<Decision> acquire) {
        thread = new Thread(() -> {
            try {
                Decision decision = acquire.get();
                interrupted = Thread.currentThread().isInterrupted();
                answer.complete(decision);
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isDone() {
        return answer.isDone();
    }

    /** Waits for it. */
    Decision answer() {
        return answer.join();
    }

    /** Whether the thread was interrupted when it got its answer. */
    boolean wasInterrupted() {
        answer.join();
        return interrupted;
    }

    void join() throws InterruptedException {
        thread.join();
    }

    /** Waits on a condition, without sleeping; the time-out is that of the test. */
    static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.yield();
        }
    }
}
