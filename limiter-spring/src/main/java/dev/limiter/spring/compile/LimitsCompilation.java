package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spi.PermitArithmetic;
import dev.limiter.spring.compile.RuleCompilation.Placement;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compiles all limits that may apply to one rule: its own, and the ones of tiers, overrides and a resolver. Not
 * thread-safe.
 */
final class LimitsCompilation {

    private static final String EVENLY = "a limit that spaces requests evenly (warm-up, leaky-bucket with max-wait)";

    private final RuleCompiler compiler;
    private final RuleDefinition definition;
    private final Placement placement;
    private final Duration maxWait;
    private final Costs costs;
    private final Problems problems;

    LimitsCompilation(
            RuleCompiler compiler,
            RuleDefinition definition,
            Placement placement,
            Duration maxWait,
            Costs costs,
            Problems problems) {
        this.compiler = compiler;
        this.definition = definition;
        this.placement = placement;
        this.maxWait = maxWait;
        this.costs = costs;
        this.problems = problems;
    }

    /** Returns the limits; null if there is a problem. */
    RateLimitRule.@Nullable Limits compile() {
        Rule own = problems.collect(() -> Rule.of(definition.name(), own()));
        Tiers tiers = own == null ? null : tiers();
        ResolvedLimits resolved = compiler.resolvers.compile(
                definition, own, tiers, maxWait, this::checkResolved, placement.variables(), problems);
        if (own == null) {
            return null;
        }
        check(own.limits(), "", problems);
        return new RateLimitRule.Limits(own, tiers, resolved, overrides());
    }

    private List<Limit> own() {
        boolean both = definition.limits() != null && !definition.limit().isEmpty();
        if (both || definition.limitsByName().isEmpty()) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.TWO_SORTS_OF_LIMITS,
                    definition.limit().where(),
                    null,
                    both
                            ? "It has both a limit of its own and named limits. Move limit, window and their options"
                                    + " into limits, or remove limits."
                            : "It is empty. Add at least one named limit, such as hourly: { limit: 1000, window: 1h"
                                    + " }."));
        }
        return compiler.limits.compile(definition.limitsByName(), maxWait);
    }

    /** Returns the tiers; null if the rule has none, or if there is a problem. */
    private @Nullable Tiers tiers() {
        Setting<String> by = definition.get(RuleOptions.TIER_BY);
        Setting<Map<String, LimitsDefinition>> tiers = definition.get(LimitsDefinition.TIERS);
        Setting<?> any = tiers == null ? by : tiers;
        if (any == null) {
            return null;
        }
        boolean named = by != null
                || definition.get(RuleOptions.LIMIT_RESOLVER) != null
                || definition.get(CandidateRules.LIVE) != null;
        if (!named || tiers == null || tiers.value().isEmpty()) {
            problems.add(
                    MessageCode.TIERS,
                    any.where(),
                    null,
                    "Tiers need tier-by and at least one tier. Example: tier-by: \"header:X-Plan\", tiers: { gold: {"
                            + " limit: 1000"
                            + " } }");
            return null;
        }
        KeyResolver value = by == null
                ? null
                : problems.collect(() -> compiler.keys.value(by.value(), by.where(), placement.variables()));
        Map<String, Rule> rules = new LinkedHashMap<>();
        Set<String> unlimited = new HashSet<>();
        tiers.value().forEach((name, tier) -> {
            if (tier.unlimited()) {
                unlimited.add(name);
                checkUnlimited(tier);
                return;
            }
            Rule rule = problems.collect(() -> tier(tier));
            if (rule != null) {
                rules.put(name, rule);
                check(rule.limits(), ".tiers." + name, problems);
            }
        });
        return new Tiers(tiers.where(), value, rules, unlimited);
    }

    private void checkUnlimited(LimitsDefinition tier) {
        if (!tier.isEmpty()) {
            problems.add(
                    MessageCode.TIERS,
                    tier.limit().where(),
                    null,
                    "A tier must have limits or unlimited: true, not both. Remove one.");
        }
    }

    private Rule tier(LimitsDefinition tier) {
        return compiled(tier.over(definition, MessageCode.TIERS));
    }

    /** Returns the limits of single keys. They are core rules of the same name, so a key keeps its used permits. */
    private Map<String, Rule> overrides() {
        Map<String, Rule> byKey = new HashMap<>();
        if (problems.isEmpty()) {
            definition.value(ChangeOrigin.OVERRIDES, Map.of()).forEach((key, difference) -> {
                Rule rule = problems.collect(() -> compiled(difference.over(definition)));
                if (rule != null) {
                    byKey.put(key, rule);
                    check(rule.limits(), ": an override", problems);
                }
            });
        }
        return byKey;
    }

    private Rule compiled(RuleDefinition merged) {
        return Rule.of(definition.name(), compiler.limits.compile(merged.limitsByName(), maxWait));
    }

    private void checkResolved(List<Limit> limits) {
        Problems found = new Problems();
        checkCompiled(limits, ": the resolved limit", found);
        found.throwIfAny();
    }

    /** Checks limits that do not come from settings. */
    private void checkCompiled(List<Limit> limits, String place, Problems found) {
        limits.forEach(limit -> compiler.steps.checkLogged(limit, definition.origin() + place, found));
        check(limits, place, found);
    }

    /**
     * Checks limits against the cap of the rule. Once no annotation can complete the rule, also checks that they fit
     * its other options.
     *
     * @param place appended to the place of the rule to identify the limits; empty for its own
     * @param found gets the problems
     */
    private void check(List<Limit> limits, String place, Problems found) {
        String where = definition.origin() + place;
        compiler.caps.check(definition.name(), limits, where, found);
        if (!placement.isFinal()) {
            return;
        }
        boolean held = limits.stream().anyMatch(Limit.Concurrency.class::isInstance);
        boolean spaced = limits.stream().anyMatch(PermitArithmetic::isSpaced);
        boolean neverWaits = definition.get(RuleOptions.CHARGE_IF) == null
                && limits.stream()
                        .allMatch(limit -> limit instanceof Limit.FixedWindow fixed && fixed.alignedToFirst());
        reject(spaced, RuleOptions.LEASE, EVENLY, where, found);
        reject(held, RuleOptions.LEASE, "concurrency", where, found);
        reject(held, RuleOptions.CHARGE_IF, "concurrency", where, found);
        reject(spaced, RuleOptions.PRIORITY, EVENLY, where, found);
        reject(neverWaits, RuleOptions.MAX_WAIT, "fixed-window with align: first", where, found);
        reject(neverWaits, RuleOptions.MAX_WAITING, "fixed-window with align: first", where, found);
        limits.forEach(limit -> checkCost(limit, where, found));
    }

    private void reject(boolean ignored, Option<?> option, String by, String where, Problems found) {
        Setting<?> setting = definition.get(option);
        if (ignored && setting != null) {
            found.add(
                    MessageCode.IGNORED_OPTION,
                    setting.where(),
                    setting.value(),
                    "It would be ignored by " + by + " (" + where + "). Remove it, or choose another algorithm.");
        }
    }

    /** Reports a cost that no request could ever pay. */
    private void checkCost(Limit limit, String where, Problems found) {
        Cost cost = costs.of(limit.name());
        Setting<String> setting = cost.setting();
        if (setting != null && cost.isFixed() && cost.fixed() > limit.capacity()) {
            found.add(
                    MessageCode.IMPOSSIBLE_COST,
                    setting.where(),
                    setting.value(),
                    "The cost is more than can be granted at once: " + limit.capacity() + ", the burst or limit of"
                            + " " + where
                            + (limit.name().isEmpty() ? "" : ".limits." + limit.name())
                            + ". Lower the cost, or raise the burst or limit.");
        }
    }
}
