package dev.limiter.spring.rule;

import dev.limiter.Limit;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings that replace the limits of a rule: a tier, a candidate or a change. Immutable.
 *
 * @param limit the settings for a rule with one limit; in a candidate, also for the first of several
 * @param limits the settings for named limits; null if there are none
 * @param unlimited true for a tier to which the rule does not apply
 */
public record LimitsDefinition(
        LimitDefinition limit, @Nullable Map<String, LimitDefinition> limits, boolean unlimited) {

    /** The tiers of a rule by name. */
    public static final Option<Map<String, LimitsDefinition>> TIERS = Option.of("tiers");

    /** The candidate limits of a rule. */
    public static final Option<LimitsDefinition> CANDIDATE = Option.of("candidate");

    public LimitsDefinition(LimitDefinition limit, @Nullable Map<String, LimitDefinition> limits) {
        this(limit, limits, false);
    }

    /**
     * Returns the definition of core limits: a single one without a name, or named ones.
     */
    static LimitsDefinition of(RuleOrigin origin, List<Limit> limits) {
        if (limits.size() == 1 && limits.get(0).name().isEmpty()) {
            return new LimitsDefinition(LimitDefinition.of(origin, limits.get(0)), null);
        }
        Map<String, LimitDefinition> byName = new LinkedHashMap<>();
        for (Limit limit : limits) {
            if (limit.name().isEmpty() || byName.containsKey(limit.name())) {
                throw new IllegalArgumentException("Each of several limits needs its own name, such as"
                        + " .named(\"hourly\"), but " + origin + " has " + limits);
            }
            byName.put(limit.name(), LimitDefinition.of(named(limit.name(), origin), limit));
        }
        return new LimitsDefinition(new LimitDefinition(origin.toString(), Settings.NONE), byName);
    }

    private static RuleOrigin named(String limit, RuleOrigin origin) {
        return RuleOrigin.source("limit " + limit + " of " + origin);
    }

    /** Returns these limits with another origin of all settings. */
    LimitsDefinition writtenAt(RuleOrigin origin) {
        return new LimitsDefinition(limit.writtenAt(origin), writtenAt(limits, origin), unlimited);
    }

    static @Nullable Map<String, LimitDefinition> writtenAt(
            @Nullable Map<String, LimitDefinition> limits, RuleOrigin origin) {
        if (limits == null) {
            return null;
        }
        Map<String, LimitDefinition> moved = new LinkedHashMap<>();
        limits.forEach((name, limit) -> moved.put(name, limit.writtenAt(named(name, origin))));
        return moved;
    }

    /** Returns whether nothing is set. */
    public boolean isEmpty() {
        return limit.isEmpty() && (limits == null || limits.isEmpty());
    }

    /**
     * Returns the rule with these settings merged over its own limits.
     *
     * @param code the code of problems
     * @throws LimiterConfigurationException if nothing is set, if the rule has no such limit, or if a cost is set
     */
    public RuleDefinition over(RuleDefinition rule, MessageCode code) {
        if (isEmpty() || unlimited) {
            throw problem(code, limit.where(), null, "Set the options that differ from the rule, such as limit: 1000.");
        }
        Map<String, LimitDefinition> all = new LinkedHashMap<>(rule.limitsByName());
        if (!limit.isEmpty()) {
            boolean first = code == MessageCode.CANDIDATE
                    && rule.limits() != null
                    && !rule.limits().isEmpty();
            put(all, first ? all.keySet().iterator().next() : "", limit, rule, code);
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
                    "A cost is not allowed here. Set it in the rule; use an expression if it depends on the request.");
        }
        all.computeIfPresent(rule.limitName(name, different.where(), code), (known, weaker) -> different.over(weaker));
    }

    static LimiterConfigurationException problem(
            MessageCode code, String where, @Nullable String value, String reason) {
        return new LimiterConfigurationException(new Problem(code, where, value, reason));
    }
}
