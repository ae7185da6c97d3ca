package dev.limiter.spring.edge;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The knowledge about a request before it is routed.
 *
 * @param resources by the rules of {@code phase: request} that apply to it, in order. Until the endpoint is known, the
 *     resource of a rule is the most specific of its own paths, and its method if it is for one only: {@code POST
 *     /login}
 */
public record ArrivingRequest(Map<RateLimitRule, String> resources) {

    /** No rule is for it. */
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

    /** The rules that apply to it, in order. */
    public List<RateLimitRule> rules() {
        return List.copyOf(resources.keySet());
    }
}
