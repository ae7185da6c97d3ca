package dev.limiter;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A caller that blocks on a platform thread. */
final class Caller {

    private final CompletableFuture<Decision> result = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean interrupted;

    Caller(Supplier<Decision> acquire) {
        thread = new Thread(() -> {
            try {
                Decision decision = acquire.get();
                interrupted = Thread.currentThread().isInterrupted();
                result.complete(decision);
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isDone() {
        return result.isDone();
    }

    /** Waits for the result. */
    Decision decision() {
        return result.join();
    }

    /** Returns whether the interrupt status was set when the thread got its result. */
    boolean wasInterrupted() {
        result.join();
        return interrupted;
    }

    void join() throws InterruptedException {
        thread.join();
    }

    /** Spins until a condition holds, without sleeping; the test has a timeout. */
    static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.yield();
        }
    }
}
