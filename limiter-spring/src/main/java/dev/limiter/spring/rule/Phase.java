package dev.limiter.spring.rule;

/** The time at which a rule with paths decides. */
public enum Phase {
    /** After Spring Security, when the endpoint is known. */
    ENDPOINT,
    /** In a filter before Spring Security, by the path only. */
    REQUEST
}
