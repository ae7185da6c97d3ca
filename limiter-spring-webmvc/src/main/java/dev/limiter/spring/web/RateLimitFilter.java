package dev.limiter.spring.web;

import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.web.route.ArrivingRequest;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;

/**
 * Decides the rules of {@code phase: request} before Spring Security and other costly work: also for requests that
 * never reach an endpoint, such as a login in Spring Security. A request forwarded on the way to its endpoint is
 * decided by its new path as well, each rule once.
 */
public final class RateLimitFilter implements Filter {

    private final Rules rules;
    private final ServletCurrentRequest requests;
    private final RequestGate decider;
    private final PreflightDetector preflights;

    public RateLimitFilter(
            Rules rules, ServletCurrentRequest requests, RequestGate decider, PreflightDetector preflights) {
        this.rules = rules;
        this.requests = requests;
        this.decider = decider;
        this.preflights = preflights;
    }

    /** The dispatches that have to come by here. */
    public static EnumSet<DispatcherType> dispatches() {
        return EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        RuleSet ruleSet = rules.current();
        if (ruleSet.requestRules().isEmpty()
                || !(request instanceof HttpServletRequest http)
                || !(response instanceof HttpServletResponse answer)
                || permits(http, answer, ruleSet)) {
            chain.doFilter(request, response);
        }
    }

    private boolean permits(HttpServletRequest request, HttpServletResponse response, RuleSet ruleSet)
            throws IOException {
        ServletRequestDecisions decisions = requests.of(request, response);
        if (!decisions.isEndpointOpen() || SuspendedRequest.isBack(request)) {
            return true;
        }
        ArrivingRequest arriving = ArrivingRequest.of(request, ruleSet, decisions.ledger.decidedOnArrival());
        if (arriving.resources().isEmpty() || preflights.isExpected(request)) {
            return true;
        }
        decisions.ledger.arrive(arriving.rules(), ruleSet.pathRules());
        return decider.permits(arriving, decisions, request, response);
    }
}
