package dev.limiter.spring.edge;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * A request before routing.
 *
 * @param resources the resources by rule, for rules with {@code phase: request} that apply, in order. Before routing,
 *     the resource is the most specific path of the rule, with its method if it has exactly one: {@code POST /login}
 */
public record ArrivingRequest(Map<RateLimitRule, String> resources) {

    /** A request without rules. */
    public static final ArrivingRequest UNLIMITED = new ArrivingRequest(Map.of());

    /**
     * The rules of {@code phase: request} for a request.
     *
     * @param paths within the application; several if handlers read the path of the request in different ways
     */
    public static ArrivingRequest of(String method, List<PathContainer> paths, RuleSet ruleSet) {
        if (ruleSet.excludes(paths)) {
            return UNLIMITED;
        }
        Map<RateLimitRule, String> resources = new LinkedHashMap<>();
        for (RateLimitRule rule : ruleSet.requestRules()) {
            PathPattern pattern = rule.matcher().best(method, paths);
            if (pattern != null) {
                resources.put(rule, rule.matcher().onlyMethod().orElse(Resources.ANY_METHOD) + " " + pattern);
            }
        }
        return new ArrivingRequest(resources);
    }

    /** Returns the rules that apply, in order. */
    public List<RateLimitRule> rules() {
        return List.copyOf(resources.keySet());
    }
}
