package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterStorage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Frees expired states once a second while the context runs: the storage itself has no thread. */
final class StorageCleaner implements SmartLifecycle {

    private static final Log logger = LogFactory.getLog(StorageCleaner.class);

    private final RateLimiterStorage storage;
    private final FullStorageWarning warning;
    private @Nullable ScheduledExecutorService executor;

    /** {@code maxKeys}: how many keys the storage remembers. */
    StorageCleaner(RateLimiterStorage storage, long maxKeys) {
        this.storage = storage;
        this.warning = new FullStorageWarning(storage, maxKeys);
    }

    @Override
    public synchronized void start() {
        if (executor == null) {
            ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(StorageCleaner::thread);
            var unused = started.scheduleWithFixedDelay(this::clean, 1, 1, TimeUnit.SECONDS);
            executor = started;
        }
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "limiter-cleaner");
        thread.setDaemon(true);
        return thread;
    }

    private void clean() {
        try {
            storage.cleanUp();
            warning.check();
        } catch (RuntimeException failure) {
            // An exception that leaves the task would end the schedule.
            logger.warn("Cleaning up the storage of rate limits failed; trying again in a second", failure);
        }
    }

    @Override
    public synchronized void stop() {
        if (executor == null) {
            return;
        }
        executor.shutdownNow();
        try {
            executor.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        executor = null;
    }

    @Override
    public synchronized boolean isRunning() {
        return executor != null;
    }
}
