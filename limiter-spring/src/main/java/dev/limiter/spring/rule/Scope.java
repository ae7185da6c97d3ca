package dev.limiter.spring.rule;

/** The requests that share the budget of a rule, for the same key. */
public enum Scope {
    /** All that the rule applies to. */
    RULE,
    /** Those to the same endpoint, or calls of the same method. */
    ENDPOINT
}
