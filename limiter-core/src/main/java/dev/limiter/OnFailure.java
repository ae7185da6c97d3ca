package dev.limiter;

/** How requests are decided while the shared storage is unavailable. */
public enum OnFailure {
    /** In memory: each instance applies its share of the limit. */
    LOCAL,
    /** Permits every request. */
    ALLOW,
    /** Rejects every request. */
    DENY
}
