package dev.limiter.spring.rule;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Raw settings that differ from the limits of a rule: those of a tier, a candidate or a change. Immutable.
 *
 * @param limit for a rule with only one limit
 * @param limits by name, for a rule with named limits; null if there are none
 * @param unlimited whether the rule does not apply at all, as for a tier
 */
public record LimitsDefinition(
        LimitDefinition limit, @Nullable Map<String, LimitDefinition> limits, boolean unlimited) {

    /** The tiers of a rule by their names. */
    public static final Option<Map<String, LimitsDefinition>> TIERS = Option.of("tiers");

    /** The limits that are tried next to those of a rule. */
    public static final Option<LimitsDefinition> CANDIDATE = Option.of("candidate");

    public LimitsDefinition(LimitDefinition limit, @Nullable Map<String, LimitDefinition> limits) {
        this(limit, limits, false);
    }

    /** Whether nothing is set. */
    public boolean isEmpty() {
        return limit.isEmpty() && (limits == null || limits.isEmpty());
    }

    /**
     * All limits of a rule with these settings over its own.
     *
     * @param code of what does not fit
     * @throws LimiterConfigurationException if nothing is set, if the rule has no such limit, or if a cost is set
     */
    public RuleDefinition over(RuleDefinition rule, MessageCode code) {
        if (isEmpty() || unlimited) {
            throw problem(code, limit.where(), null, "Set what is different in it, such as limit: 1000.");
        }
        Map<String, LimitDefinition> all = new LinkedHashMap<>(rule.limitsByName());
        if (!limit.isEmpty()) {
            put(all, "", limit, rule, code);
        }
        if (limits != null) {
            limits.forEach((name, different) -> put(all, name, different, rule, code));
        }
        return rule.withLimits(all);
    }

    private static void put(
            Map<String, LimitDefinition> all,
            String name,
            LimitDefinition different,
            RuleDefinition rule,
            MessageCode code) {
        Setting<String> cost = different.get(LimitOptions.COST);
        if (cost != null) {
            throw problem(
                    code,
                    cost.where(),
                    cost.value(),
                    "A cost is not allowed here. Set it in the rule, as an expression if it depends on the request.");
        }
        all.computeIfPresent(rule.limitName(name, different.where(), code), (known, weaker) -> different.over(weaker));
    }

    static LimiterConfigurationException problem(
            MessageCode code, String where, @Nullable String value, String reason) {
        return new LimiterConfigurationException(new Problem(code, where, value, reason));
    }
}
