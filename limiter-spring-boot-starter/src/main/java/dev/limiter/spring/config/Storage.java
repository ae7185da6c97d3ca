package dev.limiter.spring.config;

/** The place where limits are stored. */
public enum Storage {
    /** In memory: each instance has its own limits. */
    MEMORY,
    /** In Redis: all instances share the limits. */
    REDIS
}
