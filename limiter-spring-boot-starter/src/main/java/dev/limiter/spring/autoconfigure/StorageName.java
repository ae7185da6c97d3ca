package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterStorage;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;

/** The name of a storage in metrics and the endpoint: {@code memory}, {@code redis}, or {@code custom}. */
final class StorageName {

    private StorageName() {}

    static String of(RateLimiterStorage storage) {
        if (storage instanceof InMemoryRateLimiterStorage) {
            return "memory";
        }
        return storage instanceof FailoverRateLimiterStorage failover ? failover.name() : "custom";
    }
}
