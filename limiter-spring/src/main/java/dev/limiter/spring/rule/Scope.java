package dev.limiter.spring.rule;

/** The requests that share the budget of a rule, for the same key. */
public enum Scope {
    /** All requests of the rule. */
    RULE,
    /** The requests to the same endpoint, or calls of the same method. */
    ENDPOINT
}
