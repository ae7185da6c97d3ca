package dev.limiter.spring.rule;

/** When a rule with paths decides. */
public enum Phase {
    /** When the endpoint is known, after Spring Security. */
    ENDPOINT,
    /** As soon as a request arrives, before Spring Security, by its path alone. */
    REQUEST
}
