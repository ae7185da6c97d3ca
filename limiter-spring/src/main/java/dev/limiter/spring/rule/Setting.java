package dev.limiter.spring.rule;

/**
 * A value of a rule that was set somewhere.
 *
 * @param where the property, or the attribute and the annotated method; stays with the value when rules are merged
 */
public record Setting<T>(T value, String where) {}
