package dev.limiter.spring.web.route;

import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The knowledge about a request before it is routed.
 *
 * @param rules those of {@code phase: request} that apply to it, in order
 * @param resource until the endpoint is known, the most specific path of these rules, and the method if the rule with
 *     that path is for one only: {@code POST /login}
 */
public record ArrivingRequest(List<RateLimitRule> rules, String resource) {

    /** No rule is for it. */
    public static final ArrivingRequest UNLIMITED = new ArrivingRequest(List.of(), "");

    /** {@code decided}: rules that have been decided about the request before. */
    public static ArrivingRequest of(HttpServletRequest request, RuleSet ruleSet, List<RateLimitRule> decided) {
        List<PathContainer> paths = PathReadings.of(request);
        if (ruleSet.excludes(paths)) {
            return UNLIMITED;
        }
        List<RateLimitRule> rules = new ArrayList<>();
        RateLimitRule closest = null;
        PathPattern best = null;
        for (RateLimitRule rule : ruleSet.requestRules()) {
            PathPattern pattern = rule.bestPattern(request.getMethod(), paths);
            if (pattern != null
                    && decided.stream().noneMatch(other -> other.name().equals(rule.name()))) {
                rules.add(rule);
                if (best == null || pattern.compareTo(best) < 0) {
                    best = pattern;
                    closest = rule;
                }
            }
        }
        return closest == null ? UNLIMITED : new ArrivingRequest(rules, resource(closest, best));
    }

    private static String resource(RateLimitRule rule, @Nullable PathPattern pattern) {
        return rule.onlyMethod().orElse(DeclaredMethods.ANY) + " " + pattern;
    }
}
