package dev.limiter.spring.health;

import dev.limiter.failover.FailoverRateLimiterStorage;
import java.util.Map;

/**
 * The state of the storage. While a remote storage fails, the status is unknown and not down: the application goes on
 * as its rules say, and must not be taken out of service for it.
 */
final class StorageHealth {

    private final FailoverRateLimiterStorage storage;

    StorageHealth(FailoverRateLimiterStorage storage) {
        this.storage = storage;
    }

    boolean isUp() {
        return storage.isAvailable();
    }

    Map<String, Object> details() {
        return Map.of(
                "storage",
                storage.name(),
                storage.name(),
                storage.isAvailable() ? "decides" : "does not decide; rules do as on-failure says",
                "instances",
                storage.instances());
    }
}
