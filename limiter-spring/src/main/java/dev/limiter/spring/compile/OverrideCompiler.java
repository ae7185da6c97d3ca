package dev.limiter.spring.compile;

import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spi.OutOfRangeException;
import dev.limiter.spring.compiled.KeyOverrides;
import dev.limiter.spring.compiled.Tiers;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.RuleDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks the overrides of keys against the limits that they change. Thread-safe. */
final class OverrideCompiler {

    private final TimeSteps steps;
    private final TimeSource clock;

    OverrideCompiler(TimeSteps steps, TimeSource clock) {
        this.steps = steps;
        this.clock = clock;
    }

    /** {@code own} and {@code tiers}: the limits of the definition, without a problem. */
    KeyOverrides compile(
            RuleDefinition definition,
            Rule own,
            @Nullable Tiers tiers,
            Duration maxWait,
            LimitsCheck check,
            Problems problems) {
        List<KeyOverride> all = definition.value(KeyOverride.OPTION, List.of());
        if (all.isEmpty()) {
            return KeyOverrides.NONE;
        }
        KeyOverrides overrides = new KeyOverrides(all, maxWait, clock);
        List<Rule> rules = new ArrayList<>();
        rules.add(own);
        if (tiers != null) {
            rules.addAll(tiers.rules().values());
        }
        all.forEach(override -> problems.collect(() -> definition.limitName(
                override.named() == null ? "" : override.named(),
                RuleSetCompiler.OVERRIDE.of("named"),
                MessageCode.CHANGE)));
        // the overrides of a key are in force together, or what is left of them when others have ended
        List<List<KeyOverride>> sets = new ArrayList<>();
        all.forEach(override -> sets.add(List.of(override)));
        sets.addAll(
                all.stream().collect(Collectors.groupingBy(KeyOverride::key)).values());
        for (List<KeyOverride> set : sets) {
            for (Rule rule : rules) {
                if (problems.isEmpty()) {
                    check(overrides, rule, set, check, problems);
                }
            }
        }
        return overrides;
    }

    private void check(KeyOverrides overrides, Rule rule, List<KeyOverride> set, LimitsCheck check, Problems problems) {
        String where = RuleSetCompiler.OVERRIDE.of("limit");
        try {
            Rule overridden = overrides.over(rule, rule, set);
            overridden.limits().forEach(limit -> steps.checkLogged(limit, where, problems));
            check.check(overridden.limits(), ": an override", problems);
        } catch (OutOfRangeException outOfRange) {
            problems.add(MessageCode.OUT_OF_RANGE, where, set.get(0).limit(), "It must be " + outOfRange.range() + ".");
        }
    }
}
