package dev.limiter.spring.config;

/** Where the states of limits are. */
public enum Storage {
    /** In this application; each instance counts for itself. */
    MEMORY,
    /** In the Redis of the application; all instances count together. */
    REDIS
}
