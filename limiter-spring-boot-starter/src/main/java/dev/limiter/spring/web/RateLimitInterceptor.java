package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.ServletRequestView;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.function.HandlerFunction;

/**
 * Decides the rules of a request once its endpoint is known, before the endpoint runs. Each request counts once:
 * forwards, errors and the second round of asynchronous ones are free.
 */
public final class RateLimitInterceptor implements HandlerInterceptor {

    private final Endpoints endpoints;
    private final ServletCurrentRequest requests;
    private final RuleDecider decider;
    private final Rejections rejections;
    private final @Nullable ResourceResolver resources;

    public RateLimitInterceptor(
            Endpoints endpoints,
            ServletCurrentRequest requests,
            RuleDecider decider,
            Rejections rejections,
            @Nullable ResourceResolver resources) {
        this.endpoints = endpoints;
        this.requests = requests;
        this.decider = decider;
        this.rejections = rejections;
        this.resources = resources;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        if (request.getDispatcherType() != DispatcherType.REQUEST || isPreFlight(request, handler)) {
            return true;
        }
        Endpoint endpoint = endpoints.of(request, handler);
        ApplicableRules rules = endpoint.rules(ServletRequestView.parsedPath(request));
        return rules.isEmpty() || decide(rules, endpoint, request, response);
    }

    private boolean decide(
            ApplicableRules rules, Endpoint endpoint, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        ServletRequestDecisions decisions = requests.of(request, response);
        String resource = resources == null ? endpoint.resource() : resources.resolve(request, endpoint.resource());
        Verdict verdict;
        try {
            verdict = decider.decide(rules, RateLimitContext.of(decisions.view(), resource), resource);
        } catch (RuntimeException failure) {
            // The decider has logged it. Never unlimited, and not for a catch-all of the application to decide.
            response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            return false;
        }
        decisions.addRequest(verdict);
        Decision decision = verdict.decision();
        if (decision == null || decision.permitted()) {
            return true;
        }
        rejections.handle(request, response, decision);
        return false;
    }

    /** Spring answers these itself; whatever a client claims, a handler of the application does not run as one. */
    private static boolean isPreFlight(HttpServletRequest request, Object handler) {
        return CorsUtils.isPreFlightRequest(request)
                && !(handler instanceof HandlerMethod)
                && !(handler instanceof HandlerFunction);
    }
}
