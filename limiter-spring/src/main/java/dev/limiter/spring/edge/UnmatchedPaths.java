package dev.limiter.spring.edge;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds rules with paths that no endpoint has, maybe because they are misspelled. Rules of {@code phase: request} may be
 * about paths that no endpoint serves.
 */
public final class UnmatchedPaths {

    private UnmatchedPaths() {}

    /** {@code gateway}: whether requests may take routes of a gateway. */
    public static List<Finding> findings(RuleSet ruleSet, ServedPaths endpoints, boolean gateway) {
        List<Finding> findings = new ArrayList<>(findings(ruleSet, endpoints));
        if (!gateway) {
            ruleSet.pathRules().stream()
                    .filter(rule -> rule.matcher().needsRoute() && rule.mode() != Mode.OFF)
                    .map(rule -> new Finding(
                            MessageCode.RULE_WITHOUT_ENDPOINT,
                            rule.origin()
                                    + " has routes, but there is no Spring Cloud Gateway. So the rule limits nothing."
                                    + " Set paths instead of routes."))
                    .forEach(findings::add);
        }
        return findings;
    }

    /** Finds rules with routes that the gateway does not have at startup. */
    public static List<Finding> unknownRoutes(RuleSet ruleSet, Set<String> known) {
        return ruleSet.pathRules().stream()
                .filter(rule -> rule.matcher().needsRoute() && rule.live() == null && rule.mode() != Mode.OFF)
                .flatMap(rule ->
                        ruleSet.definition(rule.name()).map(definition -> definition.get(RuleOptions.ROUTES)).stream())
                .flatMap(routes -> unknownRoutes(routes, known))
                .toList();
    }

    private static Stream<Finding> unknownRoutes(Setting<List<String>> routes, Set<String> known) {
        return routes.value().stream()
                .filter(route -> !known.contains(route))
                .map(route -> new Finding(
                        MessageCode.RULE_WITHOUT_ENDPOINT,
                        routes.where() + " = " + route
                                + ": the gateway has no route with this id. Correct it, or add the route."
                                + DidYouMean.ask(route, known)));
    }

    private static List<Finding> findings(RuleSet ruleSet, ServedPaths endpoints) {
        return ruleSet.pathRules().stream()
                .filter(rule -> !rule.matcher().needsRoute())
                .filter(rule -> rule.live() == null && rule.mode() != Mode.OFF && rule.phase() != Phase.REQUEST)
                .flatMap(rule -> finding(rule, ruleSet, endpoints).stream())
                .toList();
    }

    private static Optional<Finding> finding(RateLimitRule rule, RuleSet ruleSet, ServedPaths endpoints) {
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

    private static String below(List<String> paths, ServedPaths endpoints) {
        return paths.stream()
                .flatMap(path -> endpoints.below(path).stream()
                        .map(longer -> " Did you mean " + path + "/**? It covers " + longer + "."))
                .findFirst()
                .orElse("");
    }
}
