package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.storage.DecidingStorage;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Says once that there are more keys than are remembered. Their number is unknown at the start, and later an eviction
 * would go unnoticed: the least used keys leave, and their limits begin anew. Used by one thread.
 */
final class FullStorageWarning {

    private static final Log logger = LogFactory.getLog(FullStorageWarning.class);

    private final RateLimiterStorage storage;
    private final long maxKeys;
    private boolean said;

    FullStorageWarning(RateLimiterStorage storage, long maxKeys) {
        this.storage = storage;
        this.maxKeys = maxKeys;
    }

    void check() {
        if (!said && DecidingStorage.target(storage) instanceof InMemoryRateLimiterStorage memory && isFull(memory)) {
            said = true;
            logger.warn("All limiter.max-keys = " + maxKeys + " keys are in use. From now on the least used ones are"
                    + " forgotten before their time, one at its limit last. Raise limiter.max-keys if there are so many"
                    + " clients; if one client can make up many keys, key the rule by something it cannot choose. This"
                    + " is said only once.");
        }
    }

    private boolean isFull(InMemoryRateLimiterStorage memory) {
        return memory.evicted() > 0 || memory.size() >= maxKeys;
    }
}
