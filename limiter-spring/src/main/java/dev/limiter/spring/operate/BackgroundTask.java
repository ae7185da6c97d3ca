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
 * A task that a daemon thread of its own runs again and again while it is started. A run that fails ends
 * nothing, and is in the log once a minute. Thread-safe.
 */
public final class BackgroundTask {

    /** How long the end of a run is waited for. */
    private static final long STOP_SECONDS = 5;

    private final String name;
    private final long nanos;
    private final Runnable task;
    private final FailureLog failures;
    private @Nullable ScheduledExecutorService executor;

    /**
     * @param name of the thread
     * @param period between the end of a run and the next one, and before the first
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

    /** Has it run from now on; nothing happens if it does. */
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
            // A failure that leaves the task would end the schedule, be it that no thread could be started.
            failures.error(name, "A run of " + name + " failed; trying again", failure);
        }
    }

    /** Interrupts a run, and waits for its end, for some seconds at most. */
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
