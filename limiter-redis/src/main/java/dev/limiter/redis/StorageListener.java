package dev.limiter.redis;

/**
 * The listener of any remote storage, under the name that applications know from Redis: whatever takes the
 * other takes this one.
 */
public interface StorageListener extends dev.limiter.failover.StorageListener {}
