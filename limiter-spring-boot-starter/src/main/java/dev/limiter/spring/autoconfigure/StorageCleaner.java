package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.check.Finding;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.operate.BackgroundTask;
import dev.limiter.spring.operate.DecidingStorage;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Maintains the storage once a second: frees expired buckets, and renews concurrency permits in Redis. Runs until web
 * servers have served their last requests. Warns once when {@code max-keys} are in use.
 */
final class StorageCleaner implements SmartLifecycle {

    private static final Log logger = LogFactory.getLog(StorageCleaner.class);

    private final RateLimiterStorage storage;
    private final long maxKeys;
    private final BackgroundTask task = new BackgroundTask("limiter-cleaner", Duration.ofSeconds(1), this::clean);
    private boolean logged;

    /** @param maxKeys the capacity of the storage */
    StorageCleaner(RateLimiterStorage storage, long maxKeys) {
        this.storage = storage;
        this.maxKeys = maxKeys;
    }

    void clean() {
        storage.cleanUp();
        if (!logged && DecidingStorage.target(storage) instanceof InMemoryRateLimiterStorage memory && isFull(memory)) {
            logged = true;
            logger.warn(new Finding(
                    MessageCode.MAX_KEYS,
                    "All limiter.max-keys = " + maxKeys + " keys are in use. The least used ones are now evicted early,"
                            + " keys at their limit last. Raise limiter.max-keys if you have that many clients. If one"
                            + " client can invent many keys, use a key that clients cannot choose. This is logged only"
                            + " once."));
        }
    }

    private boolean isFull(InMemoryRateLimiterStorage memory) {
        return memory.evicted() > 0 || memory.size() >= maxKeys;
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

    /** Starts before web servers and so stops after them: a graceful shutdown waits for requests that hold permits. */
    @Override
    public int getPhase() {
        return 2;
    }
}
