package dev.limiter.failover;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The JDK's thread for time-outs, for tasks that neither block nor take long. The tasks of an application may occupy each
 * thread of the common pool, where {@link CompletableFuture} runs what is asynchronous otherwise.
 */
public final class TimerThread {

    private TimerThread() {}

    /** Runs tasks after a delay. */
    public static Executor after(Duration delay) {
        return CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
    }
}
