package dev.limiter.spring.compile;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compiles the whole configuration to one set of rules, or reports all problems with it. Thread-safe. */
public final class RuleSetCompiler {

    private final RuleCompiler compiler;

    public RuleSetCompiler(RuleCompiler compiler) {
        this.compiler = compiler;
    }

    /** Returns the configured mode of all rules; the mode of a rule applies if it is weaker. */
    public Mode mode() {
        return compiler.mode;
    }

    /** Compiles rules in the configured mode. */
    public RuleSet compile(
            Collection<RuleDefinition> definitions,
            @Nullable RuleDefinition defaultLimit,
            Setting<List<String>> excluded) {
        return compile(definitions, defaultLimit, excluded, null);
    }

    /**
     * Compiles rules.
     *
     * @param excluded the paths that no rule applies to
     * @param mode the changed mode of all rules; null for the configured one
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    public RuleSet compile(
            Collection<RuleDefinition> written,
            @Nullable RuleDefinition writtenDefault,
            Setting<List<String>> excluded,
            @Nullable Setting<Mode> mode) {
        Problems problems = new Problems();
        List<RuleDefinition> definitions = written.stream()
                .map(RuleSetCompiler::withPaths)
                .map(rule -> rule.inModeOfAll(mode))
                .toList();
        RuleDefinition defaultLimit = writtenDefault == null ? null : writtenDefault.inModeOfAll(mode);
        Map<String, RuleDefinition> distinct = distinct(definitions, defaultLimit != null, problems);
        List<RateLimitRule> rules = new ArrayList<>();
        distinct.values().stream().filter(RuleSetCompiler::isComplete).forEach(definition -> {
            add(rules, definition, problems);
            RuleDefinition candidate = problems.collect(() -> CandidateRules.of(definition));
            if (candidate != null && distinct.containsKey(RuleName.canonical(candidate.name()))) {
                problems.add(
                        MessageCode.SAME_NAME,
                        candidate.origin().toString(),
                        candidate.name(),
                        "Another rule has this name, which is the name of the candidate. Rename that rule.");
            } else if (candidate != null) {
                add(rules, candidate, problems);
            }
        });
        RateLimitRule compiledDefault =
                defaultLimit == null ? null : problems.collect(() -> compiler.compileDefault(defaultLimit));
        checkPolicies(Stream.concat(rules.stream(), Stream.ofNullable(compiledDefault)), problems);
        PathPatterns patterns = excluded.value().isEmpty() || !RequestMatcherCompiler.WEB
                ? null
                : compiler.matchers.paths(excluded, problems);
        problems.throwIfAny();
        return new RuleSet(distinct.values(), rules, compiledDefault, patterns, mode);
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
                        "In response headers, one of its limits and one of " + other.origin() + " would have this"
                                + " name, because a named limit is called rule-limit. Rename one.");
            }
        }));
    }

    private void add(List<RateLimitRule> rules, RuleDefinition definition, Problems problems) {
        RateLimitRule rule = problems.collect(() -> compiler.compile(definition));
        if (rule != null) {
            rules.add(rule);
        }
    }

    /** A rule with routes and no paths applies to all paths of the routes. */
    private static RuleDefinition withPaths(RuleDefinition definition) {
        return definition.get(RuleOptions.ROUTES) != null && definition.get(RuleOptions.PATHS) == null
                ? definition.with(RuleOptions.PATHS, List.of("/**"))
                : definition;
    }

    /** Returns whether a rule has paths or a limit. Other rules complete an annotation, and are compiled with it. */
    private static boolean isComplete(RuleDefinition definition) {
        LimitDefinition limit = definition.limit();
        boolean hasAlgorithm = limit.get(LimitOptions.ALGORITHM) != null
                || limit.settings().all().keySet().stream()
                        .allMatch(option -> option.algorithms().contains(LimitOptions.ALGORITHM.usual()));
        boolean hasWindow = limit.get(LimitOptions.WINDOW) != null || !limit.hasWindow();
        return definition.get(RuleOptions.PATHS) != null
                || definition.limits() != null
                || limit.get(LimitOptions.LIMIT) != null && hasWindow && hasAlgorithm;
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
                        "This rule already exists as " + other.origin() + "; names that differ only in case, - and _"
                                + " are the same. Rename one.");
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
