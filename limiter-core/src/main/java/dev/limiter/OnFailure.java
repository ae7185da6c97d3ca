package dev.limiter;

/** The decision while a storage that all instances share cannot be asked. */
public enum OnFailure {
    /** In memory, each instance for itself, with its share of the limit. */
    LOCAL,
    /** Everything is permitted. */
    ALLOW,
    /** Everything is rejected. */
    DENY
}
