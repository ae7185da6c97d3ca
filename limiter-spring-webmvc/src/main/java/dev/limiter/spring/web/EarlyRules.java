package dev.limiter.spring.web;

import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.edge.ArrivingRequest;
import dev.limiter.spring.web.route.PathReadings;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Decides rules with {@code phase: request}, by path, before Spring Security and other costly work. They also apply to
 * requests that never reach an endpoint, such as a login in Spring Security. Thread-safe.
 */
public final class EarlyRules {

    private final Rules rules;
    private final RequestGate gate;
    private final PreflightDetector preflights;

    public EarlyRules(Rules rules, RequestGate gate, PreflightDetector preflights) {
        this.rules = rules;
        this.gate = gate;
        this.preflights = preflights;
    }

    /** Returns whether the request is permitted. If not, the response has been written. */
    boolean permit(ServletRequestDecisions decisions, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        RuleSet ruleSet = rules.current();
        if (ruleSet.requestRules().isEmpty()) {
            return true;
        }
        ArrivingRequest arriving = ArrivingRequest.of(request.getMethod(), PathReadings.of(request), ruleSet);
        if (arriving.resources().isEmpty() || preflights.isExpected(request)) {
            return true;
        }
        decisions.arrive(arriving.rules(), ruleSet.pathRules());
        return gate.permits(arriving, decisions, request, response);
    }
}
