package dev.limiter.spring.operate;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.operate.Changes.Target;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a configuration with changes, including the limits of annotated methods. Skips invalid changes. Thread-safe.
 */
final class ChangeFitting {

    private final Rules inForce;
    private final RuleSetCompiler compiler;
    private final MethodLimits methods;

    /** {@code inForce}: the current rules, to find annotated methods. */
    ChangeFitting(Rules inForce, RuleSetCompiler compiler, MethodLimits methods) {
        this.inForce = inForce;
        this.compiler = compiler;
        this.methods = methods;
    }

    /** A configuration; {@code rules}: all definitions, including duplicates, which do not compile. */
    record Configuration(
            List<RuleDefinition> rules, @Nullable RuleDefinition defaultLimit, Setting<List<String>> excluded) {

        Configuration {
            rules = List.copyOf(rules);
        }
    }

    /** The rules with valid changes, and the problems of skipped ones. */
    record Fitting(RuleSet compiled, Map<Target, LimiterConfigurationException> skipped) {}

    /**
     * Compiles a configuration with all valid changes.
     *
     * @throws LimiterConfigurationException if the configuration itself is invalid
     */
    Fitting fit(Configuration configuration, Changes changes) {
        try {
            return new Fitting(compile(configuration, changes.all()), Map.of());
        } catch (LimiterConfigurationException some) {
            Map<Target, Change> fit = new LinkedHashMap<>();
            Map<Target, LimiterConfigurationException> skipped = new LinkedHashMap<>();
            addFitting(configuration, List.copyOf(changes.all().entrySet()), fit, skipped);
            return new Fitting(compile(configuration, fit), skipped);
        }
    }

    /** Adds the changes that compile together, bisecting to find the invalid ones. */
    private void addFitting(
            Configuration configuration,
            List<Map.Entry<Target, Change>> more,
            Map<Target, Change> fit,
            Map<Target, LimiterConfigurationException> skipped) {
        Map<Target, Change> all = new LinkedHashMap<>(fit);
        more.forEach(each -> all.put(each.getKey(), each.getValue()));
        try {
            compile(configuration, all);
            fit.putAll(all);
        } catch (LimiterConfigurationException failure) {
            if (more.size() == 1) {
                skipped.put(more.get(0).getKey(), failure);
            } else if (!more.isEmpty()) {
                int half = more.size() / 2;
                addFitting(configuration, more.subList(0, half), fit, skipped);
                addFitting(configuration, more.subList(half, more.size()), fit, skipped);
            }
        }
    }

    private RuleSet compile(Configuration configuration, Map<Target, Change> changes) {
        Change ofAll = changes.get(Changes.ALL_RULES);
        Map<String, Map<Target, Change>> byRule = new TreeMap<>();
        changes.forEach((target, change) -> byRule.computeIfAbsent(target.rule(), rule -> new LinkedHashMap<>())
                .put(target, change));
        byRule.remove(Changes.ALL_RULES.rule());
        List<RuleDefinition> definitions = new ArrayList<>();
        for (RuleDefinition rule : configuration.rules()) {
            definitions.add(changed(rule, byRule.remove(RuleName.canonical(rule.name()))));
        }
        RuleDefinition automatic = configuration.defaultLimit();
        RuleDefinition changed = automatic == null ? null : changed(automatic, byRule.remove(RuleName.DEFAULT));
        byRule.forEach((name, own) -> definitions.add(ofAnnotations(name, own)));
        RuleSet compiled = compiler.compile(
                definitions, changed, configuration.excluded(), ofAll == null ? null : ofAll.modeOfAll());
        // Compiles all annotated methods, to find problems before calls do.
        methods.rules(compiled);
        return compiled;
    }

    private static RuleDefinition changed(RuleDefinition rule, @Nullable Map<Target, Change> own) {
        return own == null ? rule : overlay(rule, rule.origin(), own).over(rule);
    }

    /**
     * Returns the changes of a rule that exists only in annotations, with their spelling of the name, which identifies
     * its state.
     */
    private RuleDefinition ofAnnotations(String name, Map<Target, Change> own) {
        RuleSet current = inForce.current();
        Optional<RateLimitRule> known = Stream.concat(current.rules().stream(), methods.rules(current).stream())
                .filter(rule -> RuleName.canonical(rule.name()).equals(name))
                .findFirst();
        RuleOrigin origin = new ChangeOrigin();
        RuleDefinition rule = known.map(RateLimitRule::definition)
                .orElseGet(() -> RuleDefinition.builder(name, origin).build());
        return overlay(rule, origin, own);
    }

    private static RuleDefinition overlay(RuleDefinition rule, RuleOrigin origin, Map<Target, Change> own) {
        RuleDefinition.Builder overlay = RuleDefinition.builder(rule.name(), origin);
        Map<String, RuleDefinition> keys = new LinkedHashMap<>();
        for (Map.Entry<Target, Change> each : own.entrySet()) {
            RuleDefinition.Builder changed = each.getValue().overlay(rule, origin);
            String key = each.getKey().key();
            if (key == null) {
                overlay = changed;
            } else {
                keys.put(key, changed.build());
            }
        }
        return overlay.set(ChangeOrigin.OVERRIDES, keys.isEmpty() ? null : keys).build();
    }
}
