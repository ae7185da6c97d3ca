package dev.limiter.spring.operate;

import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force, of the configuration and of annotations, and what is changed in them until the application ends. A
 * change is compiled together with all other rules, the limits of annotated methods included, and takes effect whole or
 * not at all; what keys have used stays used. Thread-safe; changes wait for each other, decisions never for a change.
 */
public final class LiveRules {

    private static final String DEFAULT = "default";

    private final Rules rules;
    private final RuleSetCompiler compiler;
    private final MethodLimits methods;
    private final Map<String, RuleDefinition> configured = new LinkedHashMap<>();
    private final @Nullable RuleDefinition defaultLimit;
    private final Setting<List<String>> excluded;

    private long version;

    /** Canonical name to the whole settings of a rule that is changed. */
    private final Map<String, RuleDefinition> changed = new LinkedHashMap<>();

    /**
     * @param rules as they are configured
     * @param defaultLimit of them, the automatic limit
     * @param excluded the paths that no rule applies to
     */
    public LiveRules(
            Rules rules,
            RuleSetCompiler compiler,
            MethodLimits methods,
            @Nullable RuleDefinition defaultLimit,
            Setting<List<String>> excluded) {
        this.rules = rules;
        this.compiler = compiler;
        this.methods = methods;
        this.defaultLimit = defaultLimit;
        this.excluded = excluded;
        rules.current()
                .definitions()
                .forEach(definition -> configured.put(RuleName.canonical(definition.name()), definition));
    }

    /**
     * All that have a limit: the configured ones, those of annotated methods that were found so far, the automatic one. A
     * configured rule without paths is only there to complete annotations, if some have its name.
     */
    public List<RateLimitRule> all() {
        RuleSet current = rules.current();
        List<RateLimitRule> ofMethods = methods.rules(current);
        Set<String> annotated =
                ofMethods.stream().map(rule -> RuleName.canonical(rule.name())).collect(Collectors.toSet());
        Stream<RateLimitRule> others = current.rules().stream()
                .filter(rule -> rule.appliesByPath() || !annotated.contains(RuleName.canonical(rule.name())));
        return Stream.of(others, ofMethods.stream(), current.defaultLimit().stream())
                .flatMap(some -> some)
                .toList();
    }

    /** Those of a name, whatever its case and dashes: several where annotations on methods share it. */
    public List<RateLimitRule> named(String name) {
        String canonical = RuleName.canonical(name);
        return all().stream()
                .filter(rule -> RuleName.canonical(rule.name()).equals(canonical))
                .toList();
    }

    /** The raw settings of the configuration, with what is changed; empty if the rule is in annotations alone. */
    public synchronized Optional<RuleDefinition> definition(String name) {
        return Optional.ofNullable(inForce(RuleName.canonical(name)));
    }

    /** How often rules were changed or restored. */
    public synchronized long version() {
        return version;
    }

    /** Whether anything of the rule is not as configured. */
    public synchronized boolean isChanged(String name) {
        return changed.containsKey(RuleName.canonical(name));
    }

    /**
     * Changes a rule that there is, on top of earlier changes.
     *
     * @return the version of the rules with this change
     * @param madeFor the version that whoever makes the change has seen; any if null
     * @throws StaleVersionException if the rules have another one by now
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the rule cannot be as it would be then; all stays
     *     as it is
     */
    public synchronized long change(String name, RuleChange change, @Nullable Long madeFor) {
        if (madeFor != null && madeFor != version) {
            throw new StaleVersionException(madeFor, version);
        }
        String canonical = RuleName.canonical(name);
        RuleDefinition before = inForce(canonical);
        RuleDefinition weaker = before != null ? before : ofAnnotations(name);
        Map<String, RuleDefinition> next = new LinkedHashMap<>(changed);
        next.put(canonical, change.applyTo(weaker));
        putInForce(next);
        return version;
    }

    /**
     * Has a rule be as configured again; nothing happens if it is.
     *
     * @return the version of the rules then
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the configured rules do not fit any more
     */
    public synchronized long restore(String name) {
        Map<String, RuleDefinition> next = new LinkedHashMap<>(changed);
        if (next.remove(RuleName.canonical(name)) != null) {
            putInForce(next);
        }
        return version;
    }

    /** Nothing, under the name as it is written there: states go by it. */
    private RuleDefinition ofAnnotations(String name) {
        String written =
                named(name).stream().map(RateLimitRule::name).findFirst().orElse(name);
        return RuleDefinition.builder(written, RuleOrigin.source("a change")).build();
    }

    private void putInForce(Map<String, RuleDefinition> changes) {
        Map<String, RuleDefinition> definitions = new LinkedHashMap<>(configured);
        definitions.putAll(changes);
        RuleDefinition automatic = defaultLimit == null ? null : changes.getOrDefault(DEFAULT, defaultLimit);
        if (defaultLimit != null) {
            definitions.remove(DEFAULT);
        }
        RuleSet next = compiler.compile(new ArrayList<>(definitions.values()), automatic, excluded);
        // compiles them all: what does not fit is found before a call finds it
        methods.rules(next);
        changed.clear();
        changed.putAll(changes);
        version++;
        rules.replace(next);
    }

    private @Nullable RuleDefinition inForce(String canonical) {
        RuleDefinition known = changed.get(canonical);
        if (known == null) {
            known = configured.get(canonical);
        }
        return known == null && canonical.equals(DEFAULT) ? defaultLimit : known;
    }
}
