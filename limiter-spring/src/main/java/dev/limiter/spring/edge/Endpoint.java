package dev.limiter.spring.edge;

import dev.limiter.spring.compile.Coverage;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.rule.Mode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/**
 * A resource with its rules. Patterns are compared when it is created; only few rules depend on the path of a request.
 * Immutable.
 */
public final class Endpoint {

    private final String resource;
    private final String method;
    private final String pattern;
    private final RuleSet ruleSet;
    private final @Nullable RateLimitRule defaultLimit;
    private final @Nullable String route;
    private final List<RateLimitRule> candidates;
    private final @Nullable ApplicableRules always;

    /**
     * @param pattern the best matching pattern, empty if there is none
     * @param route the id of the gateway route, null if there is none
     * @param free true if no rule applies
     * @param defaultLimit the limit that applies if no other enforced rule does
     */
    public Endpoint(
            String resource,
            String method,
            String pattern,
            @Nullable String route,
            boolean free,
            RuleSet ruleSet,
            @Nullable RateLimitRule defaultLimit) {
        this.resource = resource;
        this.method = method;
        this.pattern = pattern;
        this.route = route;
        this.ruleSet = ruleSet;
        this.defaultLimit = defaultLimit;
        this.candidates = ruleSet.pathRules().stream()
                .filter(rule ->
                        rule.matcher().isForRoute(route) && rule.matcher().coverage(method, pattern) != Coverage.NONE)
                .toList();
        this.always = free ? ApplicableRules.NONE : always(ruleSet.exclusion(pattern));
    }

    /** Returns the rules, if they are the same for every path; else null. */
    private @Nullable ApplicableRules always(Coverage exclusion) {
        if (exclusion == Coverage.ALL) {
            return ApplicableRules.NONE;
        }
        boolean fixed = exclusion == Coverage.NONE
                && candidates.stream().allMatch(rule -> rule.matcher().coverage(method, pattern) == Coverage.ALL);
        return fixed ? withDefault(candidates) : null;
    }

    /** Returns the name, as mapped: a method and a pattern. */
    public String resource() {
        return resource;
    }

    /** Returns the best matching pattern, empty if there is none. */
    public String pattern() {
        return pattern;
    }

    /** Returns the id of the gateway route, null if there is none. */
    public @Nullable String route() {
        return route;
    }

    /** Returns the automatic limit; null if there is none, or if the handler has its own limits. */
    public @Nullable RateLimitRule defaultLimit() {
        return defaultLimit;
    }

    /**
     * Returns the rules for a path.
     *
     * @param decided the rules that were decided before
     */
    public ApplicableRules rules(PathContainer path, List<RateLimitRule> decided) {
        if (always != null && (decided.isEmpty() || always.isEmpty())) {
            return always;
        }
        if (ruleSet.excludes(pattern, path)) {
            return ApplicableRules.NONE;
        }
        List<RateLimitRule> matching = matching(path, decided);
        return isEnforced(decided) ? ApplicableRules.of(matching) : withDefault(matching);
    }

    private List<RateLimitRule> matching(PathContainer path, List<RateLimitRule> decided) {
        List<RateLimitRule> matching = new ArrayList<>(candidates.size() + 1);
        for (RateLimitRule rule : candidates) {
            if (rule.matcher().matches(method, pattern, path)
                    && decided.stream().noneMatch(other -> other.name().equals(rule.name()))) {
                matching.add(rule);
            }
        }
        return matching;
    }

    private static boolean isEnforced(List<RateLimitRule> rules) {
        return rules.stream().anyMatch(rule -> rule.mode() == Mode.ENFORCE && !rule.isEnforcedInPart());
    }

    private ApplicableRules withDefault(List<RateLimitRule> rules) {
        if (defaultLimit == null || isEnforced(rules)) {
            return ApplicableRules.of(rules);
        }
        List<RateLimitRule> withDefault = new ArrayList<>(rules);
        withDefault.add(defaultLimit);
        return ApplicableRules.of(withDefault);
    }
}
