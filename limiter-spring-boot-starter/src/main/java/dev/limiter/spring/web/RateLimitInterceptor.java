package dev.limiter.spring.web;

import dev.limiter.spring.context.ServletRequestView;
import dev.limiter.spring.decide.ApplicableRules;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.function.HandlerFunction;

/**
 * Decides the rules of a request once its endpoint is known, before the endpoint runs. Each request counts once:
 * forwards, errors and the second round of asynchronous ones are free.
 */
public final class RateLimitInterceptor implements HandlerInterceptor {

    private final Endpoints endpoints;
    private final RequestDecider decider;

    public RateLimitInterceptor(Endpoints endpoints, RequestDecider decider) {
        this.endpoints = endpoints;
        this.decider = decider;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        if (request.getDispatcherType() != DispatcherType.REQUEST || isPreFlight(request, handler)) {
            return true;
        }
        Endpoint endpoint = endpoints.of(request, handler);
        ApplicableRules rules = rules(endpoint, request);
        return rules.isEmpty() || decider.permits(rules, endpoint.resource(), request, response);
    }

    /**
     * Also those for arriving requests that the filter did not recognize, because the request was routed in another way
     * than by its path: whatever reaches an endpoint is limited by all rules for it.
     */
    private static ApplicableRules rules(Endpoint endpoint, HttpServletRequest request) {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        return endpoint.rules(
                ServletRequestView.parsedPath(request), decisions == null ? List.of() : decisions.decidedOnArrival());
    }

    /** Spring answers these itself; whatever a client claims, a handler of the application does not run as one. */
    private static boolean isPreFlight(HttpServletRequest request, Object handler) {
        return Preflights.isGenuine(request)
                && !(handler instanceof HandlerMethod)
                && !(handler instanceof HandlerFunction);
    }
}
