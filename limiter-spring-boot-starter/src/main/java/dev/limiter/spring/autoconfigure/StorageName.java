package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiterStorage;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.operate.DecidingStorage;

/** Names a storage in metrics and the endpoint: {@code memory}, {@code redis}, or {@code custom}. */
final class StorageName {

    private StorageName() {}

    static String of(RateLimiterStorage storage) {
        RateLimiterStorage target = DecidingStorage.target(storage);
        if (target instanceof InMemoryRateLimiterStorage) {
            return "memory";
        }
        return target instanceof FailoverRateLimiterStorage failover ? failover.name() : "custom";
    }
}
