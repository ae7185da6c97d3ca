package dev.limiter.spring.web;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.web.route.ServedPatterns;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Finds rules with paths that no endpoint has, for example because they are misspelled. Skips rules with
 * {@code phase: request}, which may be for paths that no endpoint serves.
 */
public final class UnmatchedPathsCheck implements StartupCheck {

    private final Rules rules;
    private final ObjectProvider<HandlerMapping> mappings;
    private final ApplicationContext application;

    public UnmatchedPathsCheck(Rules rules, ObjectProvider<HandlerMapping> mappings, ApplicationContext application) {
        this.rules = rules;
        this.mappings = mappings;
        this.application = application;
    }

    @Override
    public List<Finding> findings() {
        if (ServedPatterns.mayBeElsewhere(application)) {
            return List.of();
        }
        RuleSet ruleSet = rules.current();
        ServedPatterns endpoints = new ServedPatterns(mappings.stream());
        return ruleSet.pathRules().stream()
                .filter(rule -> rule.live() == null && rule.mode() != Mode.OFF && rule.phase() != Phase.REQUEST)
                .flatMap(rule -> finding(rule, ruleSet, endpoints).stream())
                .toList();
    }

    private static Optional<Finding> finding(RateLimitRule rule, RuleSet ruleSet, ServedPatterns endpoints) {
        Setting<List<String>> paths = ruleSet.definition(rule.name())
                .map(definition -> definition.get(RuleOptions.PATHS))
                .orElseThrow();
        List<String> unmatched = paths.value().stream()
                .filter(path -> !endpoints.anyUnder(rule, path, ruleSet))
                .toList();
        if (unmatched.isEmpty()) {
            return Optional.empty();
        }
        String effect = unmatched.size() == paths.value().size()
                ? "So the rule limits nothing. Correct the paths or methods, or remove the rule."
                : "Only the other paths of the rule have an effect. Correct this path, or remove it.";
        return Optional.of(new Finding(
                MessageCode.RULE_WITHOUT_ENDPOINT,
                paths.where() + " = " + String.join(", ", unmatched)
                        + ": no endpoint or static file has such a path and method, or limiter.web.exclude exempts"
                        + " it. " + effect + below(unmatched, endpoints)));
    }

    private static String below(List<String> paths, ServedPatterns endpoints) {
        return paths.stream()
                .flatMap(path -> endpoints.below(path).stream()
                        .map(longer -> " Did you mean " + path + "/**? It covers " + longer + "."))
                .findFirst()
                .orElse("");
    }
}
