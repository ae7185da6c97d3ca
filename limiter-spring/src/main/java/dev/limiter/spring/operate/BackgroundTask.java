package dev.limiter.spring.operate;

import dev.limiter.spring.failure.FailureLog;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs a task periodically on a daemon thread. Failures do not end the schedule, and are logged at most once a minute.
 * Thread-safe.
 */
public final class BackgroundTask {

    /** The longest wait for the end of a run. */
    private static final long STOP_SECONDS = 5;

    private final String name;
    private final long nanos;
    private final Runnable task;
    private final FailureLog failures;
    private @Nullable ScheduledExecutorService executor;

    /**
     * @param name the name of the thread
     * @param period the time between runs, and before the first one
     */
    public BackgroundTask(String name, Duration period, Runnable task) {
        this(name, period, task, LogFactory.getLog(BackgroundTask.class));
    }

    BackgroundTask(String name, Duration period, Runnable task, Log logger) {
        this.failures = new FailureLog(logger);
        this.name = name;
        this.nanos = period.toNanos();
        this.task = task;
    }

    /** Starts the schedule. Does nothing if it is started. */
    public synchronized void start() {
        if (executor == null) {
            ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(new DaemonThreads(name));
            var unused = started.scheduleWithFixedDelay(this::run, nanos, nanos, TimeUnit.NANOSECONDS);
            executor = started;
        }
    }

    private void run() {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            // An exception would end the schedule.
            failures.error(name, "A run of " + name + " failed; it will run again", failure);
        }
    }

    /** Stops the schedule. Interrupts a run, and waits some seconds for its end. */
    public synchronized void stop() {
        if (executor == null) {
            return;
        }
        executor.shutdownNow();
        try {
            executor.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        executor = null;
    }

    public synchronized boolean isRunning() {
        return executor != null;
    }
}
