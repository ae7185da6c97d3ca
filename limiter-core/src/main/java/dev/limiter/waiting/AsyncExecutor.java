package dev.limiter.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * Passes tasks to an executor, and never runs one in the calling thread. The caller may be a timer or a thread that
 * releases permits, which must not be blocked. If the executor would run the task in the caller, or throws, the common
 * pool runs it. Thread-safe.
 */
public record AsyncExecutor(Executor executor) {

    /** Not the default executor of futures, which may start a thread per task on two processors. */
    private static final Executor POOL = ForkJoinPool.getCommonPoolParallelism() > 0
            ? ForkJoinPool.commonPool()
            : new CompletableFuture<>().defaultExecutor();

    public static AsyncExecutor toCommonPool() {
        return new AsyncExecutor(POOL);
    }

    public void execute(Runnable task) {
        Call call = new Call(task);
        try {
            executor.execute(call);
        } catch (RuntimeException | Error e) {
            POOL.execute(task);
        } finally {
            call.returned = true;
        }
    }

    private static final class Call implements Runnable {

        private final Runnable task;
        private final Thread caller = Thread.currentThread();

        /** Read and written by the calling thread only. */
        private boolean returned;

        Call(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            if (Thread.currentThread() == caller && !returned) {
                POOL.execute(task);
            } else {
                task.run();
            }
        }
    }
}
