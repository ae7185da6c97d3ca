package dev.limiter.spring.web;

import dev.limiter.RateLimiters;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.edge.ArrivingRequest;
import dev.limiter.spring.edge.Endpoint;
import dev.limiter.spring.operate.DaemonThreads;
import dev.limiter.spring.operate.ExplainedRule;
import dev.limiter.spring.operate.Explanation;
import dev.limiter.spring.operate.RequestDescription;
import dev.limiter.spring.operate.RequestExplainer;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.web.route.Endpoints;
import dev.limiter.spring.web.route.HandlerMappings;
import dev.limiter.spring.web.route.HandlerMappings.Mapped;
import dev.limiter.spring.web.route.PathReadings;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Explains requests to Spring MVC: routes them with the application's mappings, and finds their rules like the filter,
 * the interceptor and the handler method do. Thread-safe.
 */
public final class ServletRequestExplainer implements RequestExplainer {

    private static final ThreadFactory THREADS = new DaemonThreads("limiter-explain");

    private final Rules rules;
    private final HandlerMappings mappings;
    private final Endpoints endpoints;
    private final ClientAddresses addresses;
    private final RateLimiters limiters;
    private final PreflightDetector preflights;
    private final @Nullable ResourceResolver resources;
    private final String prefix;

    /** {@code prefix}: the context path and servlet path, such as {@code /shop/mvc}, or empty. */
    public ServletRequestExplainer(
            Rules rules,
            HandlerMappings mappings,
            Endpoints endpoints,
            ClientAddresses addresses,
            RateLimiters limiters,
            PreflightDetector preflights,
            @Nullable ResourceResolver resources,
            String prefix) {
        this.rules = rules;
        this.mappings = mappings;
        this.endpoints = endpoints;
        this.addresses = addresses;
        this.limiters = limiters;
        this.preflights = preflights;
        this.resources = resources;
        this.prefix = prefix;
    }

    /** Runs on a new thread, because beans that look up the current request or user must not find the operator's. */
    @Override
    public Explanation explain(RequestDescription asked) {
        HttpServletRequest request = DescribedServletRequest.of(asked.below(prefix));
        try {
            return CompletableFuture.supplyAsync(
                            () -> explain(request),
                            task -> THREADS.newThread(task).start())
                    .join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
    }

    private Explanation explain(HttpServletRequest request) {
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
        PathContainer path = ServletRequestPathUtils.parseAndCache(request).pathWithinApplication();
        RequestView view = new ServletRequestView(request, addresses);
        RuleSet ruleSet = rules.current();
        ArrivingRequest arriving = preflights.isExpected(request)
                ? ArrivingRequest.UNLIMITED
                : ArrivingRequest.of(request.getMethod(), PathReadings.of(request), ruleSet);
        List<ExplainedRule> early = arriving.resources().entrySet().stream()
                .map(entry -> explain(entry.getKey(), RateLimitContext.of(view, renamed(request, entry.getValue()))))
                .toList();
        Mapped mapped = mappings.route(request);
        String unlimited = unlimited(request, mapped);
        if (mapped == null || unlimited != null) {
            return explanation(null, null, view, List.of(early), ruleSet, rule -> String.valueOf(unlimited));
        }
        Endpoint endpoint = endpoints.of(request, mapped.handler());
        String resource = renamed(request, endpoint.resource());
        List<ExplainedRule> late = explain(endpoint.rules(path, arriving.rules()), RateLimitContext.of(view, resource));
        List<ExplainedRule> ofMethod = mapped.handler() instanceof HandlerMethod handler
                ? explain(
                        ApplicableRules.of(endpoints.annotated(handler)),
                        new CallContext(view, resource, handler.getMethod()))
                : List.of();
        return explanation(
                resource,
                mapped.handler().toString(),
                view,
                List.of(early, late, ofMethod),
                ruleSet,
                rule -> whyNot(rule, ruleSet, request.getMethod(), endpoint, path));
    }

    private static @Nullable String unlimited(HttpServletRequest request, @Nullable Mapped mapped) {
        if (mapped == null) {
            return "no endpoint matches this request";
        }
        if (PreflightDetector.isAnswered(request, mapped.handler())) {
            return "CORS preflights are not charged";
        }
        return mapped.isOfActuator() ? "endpoints of Actuator are not limited" : null;
    }

    /** The call of a handler method. */
    private record CallContext(RequestView request, String resource, Method method) implements RateLimitContext {

        @Override
        public @Nullable Object[] arguments() {
            throw new IllegalStateException("the arguments are unknown without a call");
        }
    }

    private String renamed(HttpServletRequest request, String resource) {
        return resources == null ? resource : resources.resolve(request, resource);
    }

    private List<ExplainedRule> explain(ApplicableRules applicable, RateLimitContext context) {
        return Stream.of(applicable.enforced(), applicable.shadow())
                .flatMap(List::stream)
                .map(rule -> explain(rule, context))
                .toList();
    }

    private ExplainedRule explain(RateLimitRule rule, RateLimitContext context) {
        List<String> paths = rule.definition().value(RuleOptions.PATHS, List.of());
        String because = context.method() != null
                ? "@RateLimiter is on the handler method"
                : paths.isEmpty() ? "no enforced rule with paths" + " applies" : "paths: " + String.join(", ", paths);
        return ExplainedRule.of(rule, because, context, limiters);
    }

    private static Explanation explanation(
            @Nullable String resource,
            @Nullable String handler,
            RequestView view,
            List<List<ExplainedRule>> decided,
            RuleSet ruleSet,
            Function<RateLimitRule, String> whyNot) {
        List<RateLimitRule> applied =
                decided.stream().flatMap(List::stream).map(ExplainedRule::rule).toList();
        List<ExplainedRule> others = Stream.concat(ruleSet.pathRules().stream(), ruleSet.defaultLimit().stream())
                .filter(rule -> !applied.contains(rule))
                .map(rule -> ExplainedRule.without(rule, whyNot.apply(rule)))
                .toList();
        return new Explanation(resource, handler, view.clientAddress(), decided, others);
    }

    private static String whyNot(
            RateLimitRule rule, RuleSet ruleSet, String method, Endpoint endpoint, PathContainer path) {
        if (rule.mode() == Mode.OFF) {
            return "mode: off";
        }
        if (ruleSet.excludes(endpoint.pattern(), path)) {
            return "limiter.web.exclude matches";
        }
        if (rule.appliesByPath()) {
            return rule.matcher().matches(null, endpoint.pattern(), path)
                    ? "methods: not for " + method
                    : "paths: none matches";
        }
        return endpoint.defaultLimit() == null
                ? "@RateLimiter is on the handler method, or no endpoint of the application matches"
                : "an enforced rule with paths applies";
    }
}
