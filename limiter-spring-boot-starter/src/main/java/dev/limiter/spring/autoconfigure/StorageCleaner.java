package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterStorage;
import dev.limiter.spring.background.BackgroundTask;
import java.time.Duration;
import org.springframework.context.SmartLifecycle;

/**
 * Cleans the storage up once a second, which has no thread itself: expired states are freed, holds in Redis renewed. Runs
 * until web servers have served their last requests.
 */
final class StorageCleaner implements SmartLifecycle {

    private final RateLimiterStorage storage;
    private final FullStorageWarning warning;
    private final BackgroundTask task = new BackgroundTask("limiter-cleaner", Duration.ofSeconds(1), this::clean);

    /** {@code maxKeys}: how many keys the storage remembers. */
    StorageCleaner(RateLimiterStorage storage, long maxKeys) {
        this.storage = storage;
        this.warning = new FullStorageWarning(storage, maxKeys);
    }

    private void clean() {
        storage.cleanUp();
        warning.check();
    }

    @Override
    public void start() {
        task.start();
    }

    @Override
    public void stop() {
        task.stop();
    }

    @Override
    public boolean isRunning() {
        return task.isRunning();
    }

    /** Before web servers start, which is after they stop: a graceful shutdown waits for requests that hold permits. */
    @Override
    public int getPhase() {
        return 2;
    }
}
