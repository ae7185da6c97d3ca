package dev.limiter.spring.compile;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.spring.compiled.PathPatterns;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.StorageTerms;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Align;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Turns everything that is configured into one set of rules, or says all that is wrong with it. Thread-safe. */
public final class RuleSetCompiler {

    private final RuleCompiler compiler;

    public RuleSetCompiler(RuleCompiler compiler) {
        this.compiler = compiler;
    }

    /**
     * @param excluded the paths that no rule applies to
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    public RuleSet compile(
            Collection<RuleDefinition> definitions,
            @Nullable RuleDefinition defaultLimit,
            Setting<List<String>> excluded) {
        Problems problems = new Problems();
        Map<String, RuleDefinition> distinct = distinct(definitions, defaultLimit != null, problems);
        List<RateLimitRule> rules = new ArrayList<>();
        for (RuleDefinition definition : distinct.values()) {
            if (isComplete(definition)) {
                add(rules, compile(definition, problems));
            } else {
                compile(definition.over(standIn(definition)), problems);
            }
            RuleDefinition candidate = problems.collect(() -> CandidateRules.of(definition));
            if (candidate != null && distinct.containsKey(RuleName.canonical(candidate.name()))) {
                problems.add(
                        MessageCode.SAME_NAME,
                        candidate.origin().toString(),
                        candidate.name(),
                        "There is a rule of this name, which the candidate has. Rename one.");
            } else if (candidate != null && isComplete(candidate)) {
                add(rules, compile(candidate, problems));
            }
        }
        RateLimitRule compiledDefault =
                defaultLimit == null ? null : problems.collect(() -> compiler.compileDefault(defaultLimit));
        checkPolicies(Stream.concat(rules.stream(), Stream.ofNullable(compiledDefault)), problems);
        PathPatterns patterns = excluded.value().isEmpty() || !RequestMatcherCompiler.WEB
                ? null
                : compiler.matchers().paths(excluded, problems);
        problems.throwIfAny();
        return new RuleSet(
                distinct.values(), rules, compiledDefault, patterns, storageTerms(distinct.values(), defaultLimit));
    }

    private static void checkPolicies(Stream<RateLimitRule> rules, Problems problems) {
        Map<String, RateLimitRule> byPolicy = new HashMap<>();
        rules.forEach(rule -> rule.rule().policies().forEach(policy -> {
            RateLimitRule other = byPolicy.putIfAbsent(policy, rule);
            if (other != null) {
                problems.add(
                        MessageCode.SAME_NAME,
                        rule.origin(),
                        policy,
                        "Clients would know one of its limits by this name, and one of " + other.origin()
                                + " as well: a named limit is called rule-limit. Rename one.");
            }
        }));
    }

    private static StorageTerms storageTerms(
            Collection<RuleDefinition> definitions, @Nullable RuleDefinition defaultLimit) {
        Map<String, OnFailure> onFailure = new HashMap<>();
        Map<String, Integer> leases = new HashMap<>();
        Stream.concat(definitions.stream(), Stream.ofNullable(defaultLimit)).forEach(definition -> {
            OnFailure how = definition.value(RuleOptions.ON_FAILURE);
            if (how != null) {
                onFailure.put(definition.name(), how);
            }
            String lease = definition.value(RuleOptions.LEASE);
            if (lease != null) {
                leases.put(definition.name(), LeaseCompiler.percent(lease));
            }
        });
        return new StorageTerms(onFailure, leases);
    }

    private static void add(List<RateLimitRule> rules, @Nullable RateLimitRule rule) {
        if (rule != null) {
            rules.add(rule);
        }
    }

    private @Nullable RateLimitRule compile(RuleDefinition definition, Problems problems) {
        return problems.collect(() -> compiler.compile(definition));
    }

    /** Without paths it may be there to complete an annotation: only then is its limit known. */
    private static boolean isComplete(RuleDefinition definition) {
        LimitDefinition limit = definition.limit();
        return definition.get(RuleOptions.PATHS) != null
                || definition.limits() != null
                || (limit.get(LimitOptions.LIMIT) != null
                        && (limit.get(LimitOptions.WINDOW) != null || !limit.hasWindow())
                        && implied(definition) == null);
    }

    /** A stand-in for the annotation that a rule completes: it finds mistakes that no annotation can make good. */
    private static RuleDefinition standIn(RuleDefinition definition) {
        boolean calendar = said(definition).anyMatch(limit -> limit.value(LimitOptions.ALIGN) == Align.CALENDAR);
        return RuleDefinition.builder(definition.name(), RuleOrigin.source("an annotation"))
                .limit(Limit.MAX_PERMITS, calendar ? "1d" : "1s", implied(definition), null, null)
                .build();
    }

    /** The algorithm that an annotation has to say for the options of a rule; null if the rule says or needs none. */
    private static @Nullable Algorithm implied(RuleDefinition definition) {
        if (definition.limit().get(LimitOptions.ALGORITHM) != null) {
            return null;
        }
        for (Option<?> option : LimitOptions.OF_RULE) {
            if (option.algorithms().size() == 1 && said(definition).anyMatch(limit -> limit.get(option) != null)) {
                return option.algorithms().iterator().next();
            }
        }
        return null;
    }

    /** The settings that depend on the rule's algorithm, of the rule and its tiers. */
    private static Stream<LimitDefinition> said(RuleDefinition definition) {
        Stream<LimitDefinition> tiers =
                definition.tiers() == null ? Stream.empty() : definition.tiers().inline();
        return Stream.concat(
                Stream.of(definition.limit()), tiers.filter(tier -> tier.get(LimitOptions.ALGORITHM) == null));
    }

    private static Map<String, RuleDefinition> distinct(
            Collection<RuleDefinition> definitions, boolean hasDefault, Problems problems) {
        Map<String, RuleDefinition> distinct = new LinkedHashMap<>();
        for (RuleDefinition definition : definitions) {
            String canonical = RuleName.canonical(definition.name());
            RuleDefinition other = distinct.putIfAbsent(canonical, definition);
            if (other != null) {
                problems.add(
                        MessageCode.SAME_NAME,
                        definition.origin().toString(),
                        definition.name(),
                        "The rule is already declared as " + other.origin()
                                + "; names are the same if they differ only in case, - and _. Rename one.");
            }
            if (hasDefault && canonical.equals(RuleName.DEFAULT)) {
                problems.add(
                        MessageCode.SAME_NAME,
                        definition.origin().toString(),
                        definition.name(),
                        "This is the name of limiter.web.default-limit. Rename the rule.");
            }
        }
        return distinct;
    }
}
