package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.Tiers;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.key.KeyParser;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.TiersDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns the raw settings of tiers into limits: those of the rule, with what the tier says over them. Thread-safe. */
final class TierCompiler {

    private static final String EXAMPLE = " Example: tiers: { by: \"header:X-Plan\", gold: { limit: 1000 } }";

    private final KeyParser keys;
    private final LimitCompiler limits;

    TierCompiler(KeyParser keys, LimitCompiler limits) {
        this.keys = keys;
        this.limits = limits;
    }

    /** Null if there is a problem. */
    @Nullable
    Tiers compile(
            RuleDefinition definition,
            TiersDefinition tiers,
            @Nullable Duration maxWait,
            ExpressionScope variables,
            Problems problems) {
        Setting<String> by = tiers.by();
        if (by == null) {
            problems.add(MessageCode.TIERS, tiers.where(), null, "Say with by who is in which tier." + EXAMPLE);
        } else if (tiers.tiers().isEmpty()) {
            problems.add(MessageCode.TIERS, by.where(), by.value(), "There are no tiers beside it." + EXAMPLE);
        }
        KeyResolver value = by == null ? null : problems.collect(() -> keys.value(by.value(), by.where(), variables));
        Map<String, Rule> rules = new LinkedHashMap<>();
        Set<String> unlimited = new HashSet<>();
        tiers.tiers().forEach((name, tier) -> {
            Rule rule = tier.unlimited() ? null : tier(definition, tier, maxWait, problems);
            if (tier.unlimited()) {
                unlimited.add(name);
            } else if (rule != null) {
                rules.put(name, rule);
            }
        });
        return value == null ? null : new Tiers(value, rules, unlimited);
    }

    /** The limits of those in one tier; null if there is a problem. */
    @Nullable
    Rule tier(RuleDefinition definition, TiersDefinition.Tier tier, @Nullable Duration maxWait, Problems problems) {
        Map<String, LimitDefinition> named = definition.limits();
        String where = tier.limit().where();
        if (tier.limit().isEmpty() && (tier.limits() == null || tier.limits().isEmpty())) {
            problems.add(
                    MessageCode.TIERS,
                    where,
                    null,
                    "The tier is empty: say what is different in it, such as limit: 1000.");
            return null;
        }
        if (named == null && tier.limits() != null) {
            problems.add(
                    MessageCode.TIERS,
                    where + ".limits",
                    null,
                    "The rule has only one limit, without a name. Write limit, window and so on directly in the tier.");
            return null;
        }
        if (named != null && !tier.limit().isEmpty()) {
            problems.add(
                    MessageCode.TIERS,
                    where,
                    null,
                    "The rule has named limits. Say which of them is different: limits: { "
                            + named.keySet().iterator().next() + ": { limit: 1000 } }.");
            return null;
        }
        tier.costs()
                .forEach(cost -> problems.add(
                        MessageCode.TIERS,
                        cost.where(),
                        cost.value(),
                        "A tier changes how much there is, and a request costs the same in all of them. Write the cost"
                                + " into the rule's own limits, as an expression if it depends on who asks."));
        List<Limit> compiled = named == null
                ? problems.collect(() -> List.of(limits.compile("", tier.limit().over(definition.limit()), maxWait)))
                : named(named, tier.limits() == null ? Map.of() : tier.limits(), maxWait, problems);
        return compiled == null ? null : Rule.of(definition.name(), compiled);
    }

    /** Null if there is a problem. */
    private @Nullable List<Limit> named(
            Map<String, LimitDefinition> own,
            Map<String, LimitDefinition> different,
            @Nullable Duration maxWait,
            Problems problems) {
        Map<String, LimitDefinition> rest = new HashMap<>();
        different.forEach((name, limit) -> rest.put(RuleName.canonical(name), limit));
        List<Limit> compiled = new ArrayList<>();
        own.forEach((name, limit) -> {
            LimitDefinition stronger = rest.remove(RuleName.canonical(name));
            Limit result = problems.collect(
                    () -> limits.compile(name, stronger == null ? limit : stronger.over(limit), maxWait));
            if (result != null) {
                compiled.add(result);
            }
        });
        rest.values()
                .forEach(unknown -> problems.add(
                        MessageCode.TIERS,
                        unknown.where(),
                        null,
                        "The rule has no limit of this name; there are " + String.join(", ", own.keySet()) + "."));
        return compiled.size() == own.size() ? compiled : null;
    }
}
