package dev.limiter.spring.web;

import dev.limiter.spring.lint.StartupCheck;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RateLimitRule;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleSet;
import dev.limiter.spring.rule.Rules;
import dev.limiter.spring.rule.Setting;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Finds rules whose paths no endpoint has, maybe because they are misspelt. Those of {@code phase: request} may be about
 * what no endpoint serves.
 */
public final class RulesWithoutEndpoint implements StartupCheck {

    private final Rules rules;
    private final ObjectProvider<HandlerMapping> mappings;

    public RulesWithoutEndpoint(Rules rules, ObjectProvider<HandlerMapping> mappings) {
        this.rules = rules;
        this.mappings = mappings;
    }

    @Override
    public List<String> findings() {
        RuleSet ruleSet = rules.current();
        MappedEndpoints endpoints = new MappedEndpoints(mappings.stream());
        return ruleSet.pathRules().stream()
                .filter(rule -> rule.mode() != Mode.OFF && rule.phase() == Phase.ENDPOINT)
                .filter(rule -> !endpoints.anyUnder(rule, paths(rule, ruleSet).value(), ruleSet))
                .map(rule -> finding(paths(rule, ruleSet)))
                .toList();
    }

    private static Setting<List<String>> paths(RateLimitRule rule, RuleSet ruleSet) {
        return ruleSet.definition(rule.name()).map(RuleDefinition::paths).orElseThrow();
    }

    private static String finding(Setting<List<String>> paths) {
        return paths.where() + " = " + String.join(", ", paths.value()) + ": no endpoint with these methods has such a"
                + " path, and no static file, or limiter.web.exclude exempts them all: the rule limits nothing. Correct"
                + " the paths or methods, or remove the rule.";
    }
}
