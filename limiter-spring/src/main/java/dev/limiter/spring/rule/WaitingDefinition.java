package dev.limiter.spring.rule;

import org.jspecify.annotations.Nullable;

/** The raw settings of a rule about waiting; null is what was not said. Immutable. */
public record WaitingDefinition(
        @Nullable Setting<String> maxWait,
        @Nullable Setting<Integer> maxWaiting,
        @Nullable Setting<String> priority,
        @Nullable Setting<String> reserve) {

    static final WaitingDefinition NONE = new WaitingDefinition(null, null, null, null);

    /** These settings, completed one by one by weaker ones. */
    WaitingDefinition over(WaitingDefinition weaker) {
        return new WaitingDefinition(
                RuleDefinition.first(maxWait, weaker.maxWait),
                RuleDefinition.first(maxWaiting, weaker.maxWaiting),
                RuleDefinition.first(priority, weaker.priority),
                RuleDefinition.first(reserve, weaker.reserve));
    }
}
