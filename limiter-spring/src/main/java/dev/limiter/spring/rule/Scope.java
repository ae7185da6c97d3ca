package dev.limiter.spring.rule;

/** The requests that share a bucket, for the same key. */
public enum Scope {
    /** All requests of the rule. */
    RULE,
    /** The requests to the same endpoint, or calls of the same method. */
    ENDPOINT
}
