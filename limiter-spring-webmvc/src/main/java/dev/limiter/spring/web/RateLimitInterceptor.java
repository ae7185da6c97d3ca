package dev.limiter.spring.web;

import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.web.route.Endpoint;
import dev.limiter.spring.web.route.Endpoints;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Decides the rules of a request once its endpoint is known, before the endpoint runs. Each request is charged once, at
 * the first endpoint with rules that it comes to, by any kind of dispatch; error pages are free.
 */
public final class RateLimitInterceptor implements HandlerInterceptor {

    private final Endpoints endpoints;
    private final ServletCurrentRequest requests;
    private final RequestGate decider;

    public RateLimitInterceptor(Endpoints endpoints, ServletCurrentRequest requests, RequestGate decider) {
        this.endpoints = endpoints;
        this.requests = requests;
        this.decider = decider;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        ServletRequestDecisions decisions = requests.of(request, response);
        if (!decisions.isEndpointOpen() || SuspendedRequest.isBack(request)) {
            return true;
        }
        if (PreflightDetector.isAnswered(request, handler)) {
            return true;
        }
        Endpoint endpoint = endpoints.of(request, handler);
        // Also the rules for arriving requests that the filter did not recognize, because the request was routed in
        // another way than by its path: whatever reaches an endpoint is limited by all rules for it.
        ApplicableRules rules =
                endpoint.rules(ServletRequestView.parsedPath(request), decisions.ledger.decidedOnArrival());
        if (rules.isEmpty()) {
            return true;
        }
        decisions.endpointDecided();
        return decider.permits(rules, endpoint.resource(), decisions, request, response);
    }

    /** Without the filter, as in tests of controllers alone, only the interceptor knows when the request is over. */
    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        if (decisions != null && !decisions.isOwned() && !request.isAsyncStarted()) {
            decisions.close();
        }
    }
}
