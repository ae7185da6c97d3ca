package dev.limiter.waiting;

import dev.limiter.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs tasks after a delay. */
@FunctionalInterface
public interface WaitTimer {

    /** Runs a task after {@code nanos}, and returns a handle that cancels it. The task must be short and not block. */
    Runnable after(long nanos, Runnable task);

    /**
     * Returns a timer on the JDK's own timer thread for futures, so that no thread is started. A clock other than the
     * system's may be advanced at any time, so it is checked often.
     */
    static WaitTimer ofTheJdk(TimeSource clock) {
        return new Jdk(clock == TimeSource.system() ? Long.MAX_VALUE : 5_000_000);
    }

    /**
     * The timer of {@link #ofTheJdk}.
     *
     * @param longestNap the longest sleep before the clock is checked again, in nanoseconds
     */
    record Jdk(long longestNap) implements WaitTimer {

        @Override
        public Runnable after(long nanos, Runnable task) {
            CompletableFuture<Boolean> timeOut = new CompletableFuture<>();
            // registered before the timer starts, or an expired timer would run the task here, under the caller's locks
            var unusedAction = timeOut.thenAccept(due -> {
                if (due) {
                    task.run();
                }
            });
            startTimer(timeOut, Math.min(nanos, longestNap));
            return () -> timeOut.complete(false);
        }

        /**
         * Starts the timer. The first one starts the JDK's thread, which inherits the class loader and outlives a web
         * application. With the application's class loader, a server would report a leak.
         */
        private static void startTimer(CompletableFuture<Boolean> timeOut, long nanos) {
            Thread thread = Thread.currentThread();
            ClassLoader application = thread.getContextClassLoader();
            thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
            try {
                var unused = timeOut.completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS);
            } finally {
                thread.setContextClassLoader(application);
            }
        }
    }
}
