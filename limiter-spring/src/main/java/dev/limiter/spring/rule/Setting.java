package dev.limiter.spring.rule;

/**
 * The value of an option, and its origin.
 *
 * @param where the property, or the attribute and the annotated method; unchanged when rules are merged
 */
public record Setting<T>(T value, String where) {}
