package dev.limiter.spring.operate;

import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a configuration with changes, the limits of annotated methods included, and tells which changes do not
 * fit it. Thread-safe.
 */
final class ChangeFitting {

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

    /** Changes that are not in force, and why they cannot be. */
    record Misfit(Changes changes, LimiterConfigurationException failure) {

        String problem() {
            return String.join(", ", changes.names()) + ": " + failure.getMessage();
        }
    }

    /** The rules with those changes that fit them, and the other changes. */
    record Fitting(RuleSet compiled, List<Misfit> misfits) {

        /** The changes that do not fit. */
        Changes unfit() {
            return misfits.stream().map(Misfit::changes).reduce(Changes.NONE, Changes::and);
        }

        /** Why changes are not in force; null if all are. */
        @Nullable
        String problem() {
            return misfits.isEmpty()
                    ? null
                    : misfits.stream().map(Misfit::problem).distinct().collect(Collectors.joining("\n"));
        }
    }

    /** Compiles all changes together, or, where that fails, those parts of them that fit, one after the other. */
    Fitting fit(Configuration configuration, Changes changes) {
        FittingChanges fitting = new FittingChanges(configuration);
        fitting.add(changes);
        return fitting.result();
    }

    /** The changes of which each fits the configuration with those before. Not thread-safe. */
    private final class FittingChanges {

        private final Configuration configuration;
        private final List<Misfit> misfits = new ArrayList<>();
        private Changes fit = Changes.NONE;
        private @Nullable RuleSet compiled;

        FittingChanges(Configuration configuration) {
            this.configuration = configuration;
        }

        void add(Changes some) {
            Changes all = fit.and(some);
            try {
                compiled = compile(configuration, all);
                fit = all;
            } catch (LimiterConfigurationException failure) {
                List<Changes> parts = some.parts();
                if (parts.size() > 1) {
                    parts.forEach(this::add);
                } else {
                    misfits.add(new Misfit(some, failure));
                }
            }
        }

        Fitting result() {
            return new Fitting(compiled == null ? compile(configuration, fit) : compiled, misfits);
        }
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
            if (automatic == null || !name.equals(RuleName.DEFAULT)) {
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
        return RuleDefinition.builder(written, new ChangeOrigin()).build();
    }
}
