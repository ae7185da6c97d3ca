package dev.limiter.spring.web;

import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.edge.Endpoint;
import dev.limiter.spring.web.route.Endpoints;
import dev.limiter.spring.web.route.HandlerMappings;
import dev.limiter.spring.web.route.HandlerMappings.Mapped;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndViewDefiningException;

/**
 * Decides the rules of a request once its endpoint is known, before the endpoint runs. Each request is charged once, at
 * the first endpoint with rules that any of its dispatches reaches; error pages are free. As a
 * {@link org.springframework.web.servlet.handler.MappedInterceptor}, it applies to every mapping of every servlet,
 * before all other interceptors. Requests that must wait proceed to the {@link WaitingInterceptor}; without one,
 * they wait here.
 */
public final class RateLimitInterceptor implements HandlerInterceptor {

    private final Endpoints endpoints;
    private final ServletCurrentRequest requests;
    private final RequestGate gate;
    private final HandlerMappings mappings;
    private final WaitingInterceptor waiting;

    public RateLimitInterceptor(
            Endpoints endpoints,
            ServletCurrentRequest requests,
            RequestGate gate,
            HandlerMappings mappings,
            WaitingInterceptor waiting) {
        this.endpoints = endpoints;
        this.requests = requests;
        this.gate = gate;
        this.mappings = mappings;
        this.waiting = waiting;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException, ModelAndViewDefiningException {
        ServletRequestDecisions decisions = requests.of(request, response);
        if (!permits(decisions, request, response, handler)) {
            return false;
        }
        return !decisions.isWaiting() || waitsLater(request) || waiting.preHandle(request, response, handler);
    }

    private boolean permits(
            ServletRequestDecisions decisions, HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        if (!decisions.isEndpointOpen()
                || request.getDispatcherType() == DispatcherType.ERROR
                || SuspendedRequest.isBack(request)
                || PreflightDetector.isAnswered(request, handler)) {
            return true;
        }
        Endpoint endpoint = endpoints.of(request, handler);
        // Includes early rules that the filter did not match, because the request was not routed by its path.
        ApplicableRules rules = endpoint.rules(ServletRequestView.parsedPath(request), decisions.decidedOnArrival());
        if (rules.isEmpty()) {
            return true;
        }
        decisions.endpointDecided();
        return gate.permits(rules, endpoint.resource(), decisions, request, response);
    }

    private boolean waitsLater(HttpServletRequest request) {
        Mapped mapped = mappings.route(request);
        return mapped != null && mapped.passes(waiting);
    }

    /** Closes the request if there is no filter, as in tests of controllers. */
    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        if (decisions != null && !decisions.isOwned() && !request.isAsyncStarted()) {
            decisions.close();
        }
    }
}
