package dev.limiter.spring.rule;

import org.jspecify.annotations.Nullable;

/** The origin of a rule, for messages. */
public interface RuleOrigin {

    /** Returns the place of an attribute such as {@code window}, whether or not it is set. */
    String of(String attribute);

    /**
     * Returns the file and line, or the name of the source, of a result of {@link #of}; null if unknown.
     */
    default @Nullable String file(String place) {
        return null;
    }

    /** Returns the place of the rule. */
    @Override
    String toString();

    /** Returns the origin for properties below {@code prefix}, such as {@code limiter.rules.orders}. */
    static RuleOrigin property(String prefix) {
        return new Written(prefix, true);
    }

    /** Returns the origin for an annotation on {@code element}, such as {@code com.example.Orders.list()}. */
    static RuleOrigin annotation(String element) {
        return new Written("@RateLimiter on " + element, false);
    }

    /** Returns the origin for code, such as a {@link RuleSource}. */
    static RuleOrigin source(String name) {
        return new Written(name, false);
    }
}
