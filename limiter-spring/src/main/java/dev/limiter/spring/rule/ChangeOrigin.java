package dev.limiter.spring.rule;

import java.util.Map;

/**
 * The origin of a definition that consists only of changes. It declares no rule, but may complete the rule of an
 * annotation.
 */
public record ChangeOrigin() implements RuleOrigin {

    /** The changed limits of single keys, as differences from the rule. */
    public static final Option<Map<String, RuleDefinition>> OVERRIDES = Option.of("overrides");

    /** The changed mode of all rules, which replaces {@code limiter.mode}. */
    public static final Option<Mode> MODE_OF_ALL = Option.of("limiter.mode");

    @Override
    public String of(String attribute) {
        return attribute + " of " + this;
    }

    @Override
    public String toString() {
        return "a change";
    }
}
