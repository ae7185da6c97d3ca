package dev.limiter.spring.compile;

import dev.limiter.Rule;
import dev.limiter.spring.compiled.Tiers;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.key.KeyParser;
import dev.limiter.spring.key.KeyValue;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns the raw settings of tiers into limits. Thread-safe. */
final class TierCompiler {

    private final KeyParser keys;
    private final LimitCompiler limits;

    TierCompiler(KeyParser keys, LimitCompiler limits) {
        this.keys = keys;
        this.limits = limits;
    }

    /** Null if the rule has no tiers, or there is a problem. */
    @Nullable
    Tiers compile(RuleDefinition definition, Duration maxWait, ExpressionScope variables, Problems problems) {
        Setting<String> by = definition.get(LimitsDefinition.TIER_BY);
        Setting<Map<String, LimitsDefinition>> tiers = definition.get(LimitsDefinition.TIERS);
        if (tiers == null) {
            return null;
        }
        if (by == null || tiers.value().isEmpty()) {
            problems.add(
                    MessageCode.TIERS,
                    tiers.where(),
                    null,
                    "Tiers need by and one tier or more. Example: tiers: { by: \"header:X-Plan\", gold: { limit: 1000"
                            + " } }");
            return null;
        }
        KeyValue value = problems.collect(() -> keys.value(by.value(), by.where(), variables));
        Map<String, Rule> rules = new LinkedHashMap<>();
        Set<String> unlimited = new HashSet<>();
        tiers.value().forEach((name, tier) -> {
            if (tier.unlimited()) {
                unlimited.add(name);
                return;
            }
            Rule rule = problems.collect(() -> Rule.of(
                    definition.name(),
                    limits.compile(tier.over(definition, MessageCode.TIERS).limitsByName(), maxWait)));
            if (rule != null) {
                rules.put(name, rule);
            }
        });
        return value == null ? null : new Tiers(value, rules, unlimited);
    }
}
