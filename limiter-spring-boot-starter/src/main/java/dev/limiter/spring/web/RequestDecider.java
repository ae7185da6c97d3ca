package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Decides rules about a request, wherever that is on its way, and answers it if it is refused. Thread-safe. */
public final class RequestDecider {

    private final ServletCurrentRequest requests;
    private final RuleDecider decider;
    private final Rejections rejections;
    private final @Nullable ResourceResolver resources;

    public RequestDecider(
            ServletCurrentRequest requests,
            RuleDecider decider,
            Rejections rejections,
            @Nullable ResourceResolver resources) {
        this.requests = requests;
        this.decider = decider;
        this.rejections = rejections;
        this.resources = resources;
    }

    /** Whether the request may go on. If not, it has been answered, and what was taken before has been given back. */
    boolean permits(ApplicableRules rules, String named, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        ServletRequestDecisions decisions = requests.of(request, response);
        Verdict verdict;
        try {
            String resource = resources == null ? named : resources.resolve(request, named);
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
        decisions.giveBack();
        rejections.handle(request, response, decision);
        return false;
    }
}
