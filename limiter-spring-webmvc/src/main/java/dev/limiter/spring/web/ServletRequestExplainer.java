package dev.limiter.spring.web;

import dev.limiter.RateLimiters;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.edge.ArrivingRequest;
import dev.limiter.spring.edge.RequestExplanation;
import dev.limiter.spring.operate.ExplainedRule;
import dev.limiter.spring.operate.Explanation;
import dev.limiter.spring.operate.RequestDescription;
import dev.limiter.spring.operate.RequestExplainer;
import dev.limiter.spring.web.route.Endpoints;
import dev.limiter.spring.web.route.HandlerMappings;
import dev.limiter.spring.web.route.HandlerMappings.Mapped;
import dev.limiter.spring.web.route.PathReadings;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
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

    @Override
    public Explanation explain(RequestDescription asked) {
        HttpServletRequest request = DescribedServletRequest.of(asked.below(prefix));
        return RequestExplanation.onOwnThread(() -> explain(request));
    }

    private Explanation explain(HttpServletRequest request) {
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
        PathContainer path = ServletRequestPathUtils.parseAndCache(request).pathWithinApplication();
        RuleSet ruleSet = rules.current();
        ArrivingRequest arriving = preflights.isExpected(request)
                ? ArrivingRequest.UNLIMITED
                : ArrivingRequest.of(request.getMethod(), PathReadings.of(request), ruleSet);
        RequestExplanation explanation = new RequestExplanation(
                new ServletRequestView(request, addresses),
                path,
                ruleSet,
                arriving,
                resource -> resources == null ? resource : resources.resolve(request, resource),
                limiters);
        List<ExplainedRule> early = explanation.early();
        Mapped mapped = mappings.route(request);
        String unlimited = unlimited(request, mapped);
        if (mapped == null || unlimited != null) {
            return explanation.unlimited(early, String.valueOf(unlimited));
        }
        Object handler = mapped.handler();
        return explanation.limited(
                early,
                endpoints.of(request, handler),
                handler,
                handler instanceof HandlerMethod method ? method.getMethod() : null,
                endpoints.annotated(handler));
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
}
