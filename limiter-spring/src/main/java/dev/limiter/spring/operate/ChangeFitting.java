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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a configuration with changes, the limits of annotated methods included, and tells which changes do not
 * fit it. Thread-safe.
 */
final class ChangeFitting {

    static final String DEFAULT = "default";

    /** The origin of a rule that is not configured, and may be in annotations. */
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

    /** {@code rules}: all that are written, also two of one name, which do not compile. */
    record Configuration(
            List<RuleDefinition> rules, @Nullable RuleDefinition defaultLimit, Setting<List<String>> excluded) {

        static Configuration of(
                Collection<RuleDefinition> definitions,
                @Nullable RuleDefinition defaultLimit,
                Setting<List<String>> excluded) {
            return new Configuration(List.copyOf(definitions), defaultLimit, excluded);
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
        List<RuleDefinition> definitions = new ArrayList<>();
        RuleDefinition automatic = configuration.defaultLimit();
        Set<String> unknown = new TreeSet<>(changes.names());
        for (RuleDefinition known : configuration.rules()) {
            unknown.remove(RuleName.canonical(known.name()));
            definitions.add(changes.applyTo(known));
        }
        for (String name : unknown) {
            if (automatic == null || !name.equals(DEFAULT)) {
                definitions.add(changes.applyTo(ofAnnotations(name)));
            }
        }
        RuleSet compiled = compiler.compile(
                definitions, automatic == null ? null : changes.applyTo(automatic), configuration.excluded());
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
