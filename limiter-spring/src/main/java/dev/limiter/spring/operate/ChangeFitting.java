package dev.limiter.spring.operate;

import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a configuration with changes, the limits of annotated methods included, and tells which changes do not fit it.
 * Thread-safe.
 */
final class ChangeFitting {

    static final String DEFAULT = "default";

    /** Of a rule that is not configured, and may be one of annotations. */
    static final RuleOrigin ORIGIN = RuleOrigin.source("a change");

    private final Rules inForce;
    private final RuleSetCompiler compiler;
    private final MethodLimits methods;

    /** {@code inForce}: by which annotated methods are found. */
    ChangeFitting(Rules inForce, RuleSetCompiler compiler, MethodLimits methods) {
        this.inForce = inForce;
        this.compiler = compiler;
        this.methods = methods;
    }

    /** {@code rules}: by their canonical names. */
    record Configuration(
            Map<String, RuleDefinition> rules, @Nullable RuleDefinition defaultLimit, Setting<List<String>> excluded) {

        static Configuration of(
                Collection<RuleDefinition> definitions,
                @Nullable RuleDefinition defaultLimit,
                Setting<List<String>> excluded) {
            Map<String, RuleDefinition> rules = new LinkedHashMap<>();
            definitions.forEach(definition -> rules.put(RuleName.canonical(definition.name()), definition));
            return new Configuration(rules, defaultLimit, excluded);
        }
    }

    /**
     * The rules with those changes that fit them.
     *
     * @param unfit the names of the rules whose changes do not
     */
    record Fitting(
            RuleSet compiled, Set<String> unfit, @Nullable LimiterConfigurationException failure) {

        /** Why changes are not in force; null if all are. */
        @Nullable
        String problem() {
            return failure == null ? null : String.join(", ", unfit) + ": " + failure.getMessage();
        }
    }

    /** Compiles all changes together, or, where that fails, those of each rule that fit by themselves. */
    Fitting fit(Configuration configuration, Changes changes) {
        try {
            return new Fitting(compile(configuration, changes), Set.of(), null);
        } catch (LimiterConfigurationException failure) {
            Set<String> unfit = unfit(configuration, changes);
            Set<String> fit = new TreeSet<>(changes.names());
            fit.removeAll(unfit);
            return new Fitting(compile(configuration, changes.only(fit)), unfit, failure);
        }
    }

    private Set<String> unfit(Configuration configuration, Changes changes) {
        Set<String> unfit = new TreeSet<>();
        for (String name : changes.names()) {
            try {
                compile(configuration, changes.only(Set.of(name)));
            } catch (LimiterConfigurationException alone) {
                unfit.add(name);
            }
        }
        return unfit.isEmpty() ? changes.names() : unfit; // each may fit alone, and not beside the others
    }

    /** @throws LimiterConfigurationException if that does not fit together */
    RuleSet compile(Configuration configuration, Changes changes) {
        Map<String, RuleDefinition> definitions = new LinkedHashMap<>(configuration.rules());
        RuleDefinition automatic = configuration.defaultLimit();
        for (String name : changes.names()) {
            RuleDefinition known = configuration.rules().get(name);
            if (known != null || automatic == null || !name.equals(DEFAULT)) {
                definitions.put(name, changes.applyTo(known == null ? ofAnnotations(name) : known));
            }
        }
        RuleSet compiled = compiler.compile(
                new ArrayList<>(definitions.values()),
                automatic == null ? null : changes.applyTo(automatic),
                configuration.excluded());
        // compiles them all: what does not fit is found before a call finds it
        methods.rules(compiled);
        return compiled;
    }

    /** A definition without settings, under the name as the annotation has it: states go by it. */
    private RuleDefinition ofAnnotations(String name) {
        RuleSet current = inForce.current();
        String written = Stream.concat(current.rules().stream(), methods.rules(current).stream())
                .map(RateLimitRule::name)
                .filter(other -> RuleName.canonical(other).equals(name))
                .findFirst()
                .orElse(name);
        return RuleDefinition.builder(written, ORIGIN).build();
    }
}
