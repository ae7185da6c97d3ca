package dev.limiter.spring.edge;

import dev.limiter.RateLimiters;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.operate.DaemonThreads;
import dev.limiter.spring.operate.ExplainedRule;
import dev.limiter.spring.operate.Explanation;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleOptions;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/**
 * Explains a request that an edge has routed, rule by rule.
 *
 * @param view the request
 * @param path within the application
 * @param arriving the rules that are decided before routing
 * @param rename the resource of the application for the one that is mapped
 */
public record RequestExplanation(
        RequestView view,
        PathContainer path,
        RuleSet ruleSet,
        ArrivingRequest arriving,
        UnaryOperator<String> rename,
        RateLimiters limiters) {

    private static final ThreadFactory THREADS = new DaemonThreads("limiter-explain");

    /** Runs on a new thread, because beans that look up the current request or user must not find the operator's. */
    public static Explanation onOwnThread(Supplier<Explanation> explanation) {
        try {
            return CompletableFuture.supplyAsync(
                            explanation, task -> THREADS.newThread(task).start())
                    .join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
    }

    /** The rules that are decided on arrival. */
    public List<ExplainedRule> early() {
        return arriving.resources().entrySet().stream()
                .map(entry ->
                        explain(entry.getKey(), RateLimitContext.of(view, rename.apply(entry.getValue())), limiters))
                .toList();
    }

    /** No rule applies to the request once it is routed. */
    public Explanation unlimited(List<ExplainedRule> early, String reason) {
        return explanation(null, null, List.of(early), rule -> reason);
    }

    /**
     * The request has an endpoint.
     *
     * @param handler the method that serves it; null if none does
     * @param annotated the rules of that method
     */
    public Explanation limited(
            List<ExplainedRule> early,
            Endpoint endpoint,
            Object mapped,
            @Nullable Method handler,
            List<RateLimitRule> annotated) {
        String resource = rename.apply(endpoint.resource());
        List<ExplainedRule> late = explain(endpoint.rules(path, arriving.rules()), RateLimitContext.of(view, resource));
        List<ExplainedRule> ofMethod = handler == null
                ? List.of()
                : explain(ApplicableRules.of(annotated), new CallContext(view, resource, handler));
        return explanation(resource, mapped.toString(), List.of(early, late, ofMethod), rule -> whyNot(rule, endpoint));
    }

    /** The call of a handler. */
    private record CallContext(RequestView request, String resource, Method method) implements RateLimitContext {

        @Override
        public @Nullable Object[] arguments() {
            throw new IllegalStateException("the arguments are unknown without a call");
        }
    }

    private List<ExplainedRule> explain(ApplicableRules applicable, RateLimitContext context) {
        return Stream.of(applicable.enforced(), applicable.shadow())
                .flatMap(List::stream)
                .map(rule -> explain(rule, context, limiters))
                .toList();
    }

    private static ExplainedRule explain(RateLimitRule rule, RateLimitContext context, RateLimiters limiters) {
        String because = context.method() != null ? "@RateLimiter is on the handler method" : because(rule);
        return ExplainedRule.of(rule, because, context, limiters);
    }

    private static String because(RateLimitRule rule) {
        List<String> routes = rule.definition().value(RuleOptions.ROUTES, List.of());
        if (!routes.isEmpty()) {
            return "routes: " + String.join(", ", routes);
        }
        List<String> paths = rule.definition().value(RuleOptions.PATHS, List.of());
        return paths.isEmpty() ? "no enforced rule with paths applies" : "paths: " + String.join(", ", paths);
    }

    private Explanation explanation(
            @Nullable String resource,
            @Nullable String handler,
            List<List<ExplainedRule>> decided,
            Function<RateLimitRule, String> whyNot) {
        List<RateLimitRule> applied =
                decided.stream().flatMap(List::stream).map(ExplainedRule::rule).toList();
        List<ExplainedRule> others = Stream.concat(ruleSet.pathRules().stream(), ruleSet.defaultLimit().stream())
                .filter(rule -> !applied.contains(rule))
                .map(rule -> ExplainedRule.without(rule, whyNot.apply(rule)))
                .toList();
        return new Explanation(resource, handler, view.clientAddress(), decided, others);
    }

    private String whyNot(RateLimitRule rule, Endpoint endpoint) {
        if (rule.mode() == Mode.OFF) {
            return "mode: off";
        }
        if (ruleSet.excludes(endpoint.pattern(), path)) {
            return "limiter.web.exclude matches";
        }
        if (!rule.matcher().isForRoute(endpoint.route())) {
            return "routes: none matches";
        }
        if (rule.appliesByPath()) {
            return rule.matcher().matches(null, endpoint.pattern(), path)
                    ? "methods: not for " + view.method()
                    : "paths: none matches";
        }
        return endpoint.defaultLimit() == null
                ? "@RateLimiter is on the handler method, or no endpoint of the application matches"
                : "an enforced rule with paths applies";
    }
}
