package dev.limiter.waiting;

import dev.limiter.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Calls back after a time. */
@FunctionalInterface
public interface WaitTimer {

    /** Returns what cancels it. The task is short and does not block. */
    Runnable after(long nanos, Runnable task);

    /**
     * The timer thread that the JDK has for the time-outs of futures: none of our own. A clock that is not the system's
     * may be moved on at any time, and is looked at often.
     */
    static WaitTimer ofTheJdk(TimeSource clock) {
        return new Jdk(clock == TimeSource.system() ? Long.MAX_VALUE : 5_000_000);
    }

    /**
     * See {@link #ofTheJdk}.
     *
     * @param longestNap how long to sleep at most before looking at the clock again, in nanoseconds
     */
    record Jdk(long longestNap) implements WaitTimer {

        @Override
        public Runnable after(long nanos, Runnable task) {
            CompletableFuture<Boolean> timeOut = new CompletableFuture<>();
            // before the clock runs, or a time that is up already would run the task here, under the caller's locks
            var unusedAction = timeOut.thenAccept(due -> {
                if (due) {
                    task.run();
                }
            });
            startTimer(timeOut, Math.min(nanos, longestNap));
            return () -> timeOut.complete(false);
        }

        /**
         * The first timer starts the thread of the JDK, which inherits the class loader and outlives a web application:
         * a server would find the classes of the application kept, and warn of a leak.
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
