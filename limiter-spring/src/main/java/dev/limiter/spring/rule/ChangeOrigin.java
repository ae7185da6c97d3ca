package dev.limiter.spring.rule;

import java.util.Map;

/** The origin of a definition of changes alone: it declares no rule, but may complete that of an annotation. */
public record ChangeOrigin() implements RuleOrigin {

    /** The keys with other limits, and their differences from the rule: changed at runtime, not configured. */
    public static final Option<Map<String, RuleDefinition>> OVERRIDES = Option.of("overrides");

    /** The mode of all rules, in place of {@code limiter.mode}. */
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
