package dev.limiter.spring.web.explain;

import dev.limiter.RateLimiters;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.operate.Explanation;
import dev.limiter.spring.operate.Explanation.OfRule;
import dev.limiter.spring.operate.Explanation.Point;
import dev.limiter.spring.operate.HypotheticalRequest;
import dev.limiter.spring.operate.PredictedDecision;
import dev.limiter.spring.operate.RequestExplainer;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.web.PreflightDetector;
import dev.limiter.spring.web.ResourceResolver;
import dev.limiter.spring.web.ServletRequestView;
import dev.limiter.spring.web.dashboard.DashboardMapping;
import dev.limiter.spring.web.route.ArrivingRequest;
import dev.limiter.spring.web.route.Endpoint;
import dev.limiter.spring.web.route.Endpoints;
import dev.limiter.spring.web.route.HandlerMappings;
import dev.limiter.spring.web.route.HandlerMappings.Mapped;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Routes a hypothetical request as Spring MVC would, through its mappings but not to a handler, and asks each rule for
 * it. To be called while a request is served. Thread-safe.
 */
public final class ServletRequestExplainer implements RequestExplainer {

    private final Rules rules;
    private final HandlerMappings mappings;
    private final Endpoints endpoints;
    private final ClientAddresses addresses;
    private final RateLimiters limiters;
    private final PreflightDetector preflights;
    private final @Nullable ResourceResolver resources;
    private final String application;
    private final String servlet;

    /**
     * @param application the path of the application, {@code /shop}; empty for the root
     * @param servlet the path of Spring MVC's servlet in it, {@code /mvc}; empty for the root
     */
    public ServletRequestExplainer(
            Rules rules,
            HandlerMappings mappings,
            Endpoints endpoints,
            ClientAddresses addresses,
            RateLimiters limiters,
            PreflightDetector preflights,
            @Nullable ResourceResolver resources,
            String application,
            String servlet) {
        this.rules = rules;
        this.mappings = mappings;
        this.endpoints = endpoints;
        this.addresses = addresses.quiet();
        this.limiters = limiters;
        this.preflights = preflights;
        this.resources = resources;
        this.application = application;
        this.servlet = servlet;
    }

    /** A request with the rules for it, collected in the order in which they are decided. */
    private static final class Collected {

        final ExplainedRequest request;
        final RequestView view;
        final PathContainer path;
        final RuleSet ruleSet;
        final Map<RateLimitRule, OfRule> rules = new LinkedHashMap<>();

        Collected(ExplainedRequest request, RequestView view, RuleSet ruleSet) {
            this.request = request;
            this.view = view;
            this.path = ServletRequestPathUtils.parseAndCache(request).pathWithinApplication();
            this.ruleSet = ruleSet;
        }

        void add(RateLimitRule rule, String because, PredictedDecision prediction, Point point) {
            rules.putIfAbsent(rule, new OfRule(rule, because, prediction, point));
        }

        void addWithout(RateLimitRule rule, String reason) {
            rules.putIfAbsent(rule, new OfRule(rule, reason, null, null));
        }

        Explanation explanation(String reason) {
            return explanation(null, null, rule -> reason);
        }

        /** With the rules that do not apply at the end. */
        Explanation explanation(
                @Nullable String resource, @Nullable String handler, Function<RateLimitRule, String> reason) {
            ruleSet.pathRules().forEach(rule -> addWithout(rule, reason.apply(rule)));
            ruleSet.defaultLimit().ifPresent(rule -> addWithout(rule, reason.apply(rule)));
            return new Explanation(resource, handler, view.clientAddress(), new ArrayList<>(rules.values()));
        }
    }

    /** A hypothetical call. */
    private record HandlerContext(RequestView request, String resource, Method method) implements RateLimitContext {

        @Override
        public @Nullable Object[] arguments() {
            throw new IllegalStateException("the arguments are known when the method is called");
        }
    }

    @Override
    public Explanation explain(HypotheticalRequest asked) {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes operator)) {
            throw new IllegalArgumentException("A request can be explained over HTTP alone.");
        }
        HypotheticalRequest sent = within(asked);
        boolean routed = servlet.isEmpty() || sent.path().startsWith(servlet + "/");
        ExplainedRequest request = new ExplainedRequest(operator.getRequest(), sent, routed ? servlet : "");
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
        try {
            return explain(request, routed);
        } finally {
            RequestContextHolder.setRequestAttributes(operator);
        }
    }

    private Explanation explain(ExplainedRequest request, boolean routed) {
        Collected collected =
                new Collected(request, new ServletRequestView(request, addresses, request), rules.current());
        Mapped mapped = routed ? mappings.route(request) : null;
        if (mapped != null && mapped.mapping() instanceof DashboardMapping) {
            return collected.explanation("the page of limiter.dashboard is not limited");
        }
        ArrivingRequest arriving = addArrival(collected);
        if (mapped == null) {
            return collected.explanation("no endpoint serves this request");
        }
        if (PreflightDetector.isAnswered(request, mapped.handler())) {
            return collected.explanation("a preflight of CORS is not charged");
        }
        if (mapped.isOfActuator()) {
            return collected.explanation("endpoints of Actuator are not limited");
        }
        return ofEndpoint(collected, arriving, mapped.handler());
    }

    private ArrivingRequest addArrival(Collected collected) {
        ArrivingRequest arriving = preflights.isExpected(collected.request)
                ? ArrivingRequest.UNLIMITED
                : ArrivingRequest.of(collected.request, collected.ruleSet, List.of());
        arriving.resources().forEach((rule, named) -> {
            RateLimitContext context = RateLimitContext.of(collected.view, renamed(collected.request, named));
            add(collected, rule, because(rule, "", collected.path), context, Point.ARRIVAL);
        });
        return arriving;
    }

    private Explanation ofEndpoint(Collected collected, ArrivingRequest arriving, Object handler) {
        PathContainer path = collected.path;
        Endpoint endpoint = endpoints.of(collected.request, handler);
        String resource = renamed(collected.request, endpoint.resource());
        RateLimitContext context = RateLimitContext.of(collected.view, resource);
        ApplicableRules applicable = endpoint.rules(path, arriving.rules());
        Stream.of(applicable.enforced(), applicable.shadow())
                .flatMap(List::stream)
                .forEach(
                        rule -> add(collected, rule, because(rule, endpoint.pattern(), path), context, Point.ENDPOINT));
        if (handler instanceof HandlerMethod method) {
            RateLimitContext call = new HandlerContext(collected.view, resource, method.getMethod());
            endpoints
                    .annotated(method)
                    .forEach(rule ->
                            add(collected, rule, "@RateLimiter is on the method that serves it", call, Point.METHOD));
        }
        boolean excluded = collected.ruleSet.excludes(endpoint.pattern(), path);
        String httpMethod = collected.request.getMethod();
        return collected.explanation(
                resource, handler.toString(), rule -> notApplied(rule, excluded, httpMethod, endpoint, path));
    }

    private HypotheticalRequest within(HypotheticalRequest asked) {
        boolean whole = !application.isEmpty() && asked.path().startsWith(application + "/");
        return whole ? asked.at(asked.path().substring(application.length())) : asked;
    }

    private String renamed(HttpServletRequest request, String resource) {
        return resources == null ? resource : resources.resolve(request, resource);
    }

    private void add(Collected collected, RateLimitRule rule, String because, RateLimitContext context, Point point) {
        collected.add(rule, because, PredictedDecision.of(rule, context, limiters), point);
    }

    private static String because(RateLimitRule rule, String pattern, PathContainer path) {
        return rule.appliesByPath()
                ? "paths: " + String.join(", ", rule.matcher().covering(pattern, path))
                : "no enforced rule with paths is for it";
    }

    private static String notApplied(
            RateLimitRule rule, boolean excluded, String method, Endpoint endpoint, PathContainer path) {
        if (rule.mode() == Mode.OFF) {
            return "mode: off";
        }
        if (excluded) {
            return "limiter.web.exclude is for it";
        }
        if (!rule.appliesByPath()) {
            return endpoint.defaultLimit() == null
                    ? "@RateLimiter is on the method that serves it, or no endpoint of the application does"
                    : "an enforced rule with paths is for it";
        }
        boolean byPath = !rule.matcher().covering(endpoint.pattern(), path).isEmpty();
        if (byPath && rule.phase() == Phase.REQUEST) {
            return "phase: request, and its paths match the endpoint but not the path";
        }
        return byPath ? "methods: not for " + method : "paths: none matches";
    }
}
