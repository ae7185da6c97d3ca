package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterStorage;
import dev.limiter.spring.reload.BackgroundTask;
import java.time.Duration;
import org.springframework.context.SmartLifecycle;

/** Frees expired states once a second while the context runs: the storage itself has no thread. */
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
}
