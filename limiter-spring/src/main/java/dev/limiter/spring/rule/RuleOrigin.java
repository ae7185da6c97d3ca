package dev.limiter.spring.rule;

import org.jspecify.annotations.Nullable;

/** Where a rule was written, to say so in messages. */
public interface RuleOrigin {

    /** Where an attribute such as {@code window} was written, or would be. */
    String of(String attribute);

    /** The file and line, or the name of the source, of a place named by {@link #of}; null where it is unknown. */
    default @Nullable String file(String place) {
        return null;
    }

    /** Where the rule was written. */
    @Override
    String toString();

    /** Properties below {@code prefix}, such as {@code limiter.rules.orders}. */
    static RuleOrigin property(String prefix) {
        return new Written(prefix, true);
    }

    /** An annotation on {@code element}, such as {@code com.example.Orders.list()}. */
    static RuleOrigin annotation(String element) {
        return new Written("@RateLimiter on " + element, false);
    }

    /** Code, such as a {@link RuleSource} named {@code name}. */
    static RuleOrigin source(String name) {
        return new Written(name, false);
    }
}
