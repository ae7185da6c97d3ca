package dev.limiter.spring.web.route;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import jakarta.servlet.http.HttpServletRequest;
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

    public static ArrivingRequest of(HttpServletRequest request, RuleSet ruleSet) {
        List<PathContainer> paths = PathReadings.of(request);
        if (ruleSet.excludes(paths)) {
            return UNLIMITED;
        }
        Map<RateLimitRule, String> resources = new LinkedHashMap<>();
        for (RateLimitRule rule : ruleSet.requestRules()) {
            PathPattern pattern = rule.matcher().best(request.getMethod(), paths);
            if (pattern != null) {
                resources.put(rule, rule.matcher().onlyMethod().orElse(DeclaredMethods.ANY) + " " + pattern);
            }
        }
        return new ArrivingRequest(resources);
    }

    /** The rules that apply to it, in order. */
    public List<RateLimitRule> rules() {
        return List.copyOf(resources.keySet());
    }
}
