package dev.limiter;

/** The decision while the storage that all instances share is unavailable. */
public enum OnFailure {
    /** In memory, each instance for itself, with its share of the limit. */
    LOCAL,
    /** Everything is permitted. */
    ALLOW,
    /** Everything is rejected. */
    DENY
}
