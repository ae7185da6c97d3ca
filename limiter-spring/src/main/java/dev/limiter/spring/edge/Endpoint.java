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
 * A resource with the rules that apply to it. Patterns were compared when it was made; what is left for each request
 * are the few that depend on its path. Immutable.
 */
public final class Endpoint {

    private final String resource;
    private final String method;
    private final String pattern;
    private final RuleSet ruleSet;
    private final @Nullable RateLimitRule defaultLimit;
    private final List<RateLimitRule> candidates;
    private final @Nullable ApplicableRules always;

    /**
     * @param pattern the best matching pattern, empty if there is none
     * @param free whether no rule applies
     * @param defaultLimit what applies if no other enforced rule does
     */
    public Endpoint(
            String resource,
            String method,
            String pattern,
            boolean free,
            RuleSet ruleSet,
            @Nullable RateLimitRule defaultLimit) {
        this.resource = resource;
        this.method = method;
        this.pattern = pattern;
        this.ruleSet = ruleSet;
        this.defaultLimit = defaultLimit;
        this.candidates = ruleSet.pathRules().stream()
                .filter(rule -> rule.matcher().coverage(method, pattern) != Coverage.NONE)
                .toList();
        this.always = free ? ApplicableRules.NONE : always(ruleSet.exclusion(pattern));
    }

    /** The rules that apply to every path; null if they depend on it. */
    private @Nullable ApplicableRules always(Coverage exclusion) {
        if (exclusion == Coverage.ALL) {
            return ApplicableRules.NONE;
        }
        boolean fixed = exclusion == Coverage.NONE
                && candidates.stream().allMatch(rule -> rule.matcher().coverage(method, pattern) == Coverage.ALL);
        return fixed ? withDefault(candidates) : null;
    }

    /** The name, as mapped: a method and a pattern. */
    public String resource() {
        return resource;
    }

    /** The best matching pattern, empty if there is none. */
    public String pattern() {
        return pattern;
    }

    /** The automatic limit; null if there is none, or the handler has limits of its own. */
    public @Nullable RateLimitRule defaultLimit() {
        return defaultLimit;
    }

    /**
     * @param decided the rules that have been decided about the request before
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
