package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.spring.compiled.Cost;
import dev.limiter.spring.compiled.Costs;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.List;

/**
 * Checks that limits fit the other options of their rule: the limits of the rule itself, and those that a tier, an
 * override or a resolver puts in their place. Thread-safe.
 */
final class LimitsCheck {

    private final RuleDefinition definition;
    private final Costs costs;
    private final Floors floors;
    private final boolean isFinal;

    /** {@code isFinal}: whether no annotation can complete the rule; until then nothing is checked. */
    LimitsCheck(RuleDefinition definition, Costs costs, Floors floors, boolean isFinal) {
        this.definition = definition;
        this.costs = costs;
        this.floors = floors;
        this.isFinal = isFinal;
    }

    /** {@code place}: appended to the place of the rule to say which limits these are; empty for its own. */
    void check(List<Limit> limits, String place, Problems problems) {
        if (!isFinal) {
            return;
        }
        String where = definition.origin() + place;
        boolean held = limits.stream().anyMatch(Limit::isHeld);
        boolean spaced = limits.stream().anyMatch(Limit::isSpaced);
        boolean neverWaits = !limits.isEmpty()
                && limits.stream().allMatch(limit -> limit instanceof Limit.FixedWindow fixed && fixed.fromFirst());
        String evenly = "a limit that spaces requests evenly (warm-up, leaky-bucket with max-wait)";
        refuse(spaced, RuleOptions.LEASE, evenly, where, problems);
        refuse(held, RuleOptions.LEASE, "concurrency", where, problems);
        refuse(held, RuleOptions.CHARGE_IF, "concurrency", where, problems);
        refuse(spaced, RuleOptions.PRIORITY, evenly, where, problems);
        if (definition.get(RuleOptions.CHARGE_IF) == null) {
            refuse(neverWaits, RuleOptions.MAX_WAIT, "fixed-window with align: first", where, problems);
            refuse(neverWaits, RuleOptions.MAX_WAITING, "fixed-window with align: first", where, problems);
        }
        checkCosts(limits, where, problems);
        floors.check(definition.name(), limits, where, problems);
    }

    private void refuse(boolean ignored, Option<?> option, String by, String where, Problems problems) {
        Setting<?> setting = definition.get(option);
        if (ignored && setting != null) {
            problems.add(
                    MessageCode.IGNORED_OPTION,
                    setting.where(),
                    setting.value(),
                    "For " + by + " (" + where + ") it would be ignored. Remove it, or choose another algorithm.");
        }
    }

    /** A request that costs more than a limit can ever grant would never be permitted. */
    private void checkCosts(List<Limit> limits, String where, Problems problems) {
        for (Limit limit : limits) {
            Cost cost = costs.of(limit.name());
            Setting<String> setting = cost.setting();
            if (setting != null && cost.isFixed() && cost.fixed() > limit.capacity()) {
                problems.add(
                        MessageCode.IMPOSSIBLE_COST,
                        setting.where(),
                        setting.value(),
                        "The cost is more than can ever be granted at once: " + limit.capacity()
                                + ", the burst or limit of " + where
                                + (limit.name().isEmpty() ? "" : ".limits." + limit.name())
                                + ". Raise that, or lower the cost.");
            }
        }
    }
}
