package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.ReturningFuture;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Decides rules about a request, wherever that is on its way, and answers it if it is refused. Thread-safe. */
public final class RequestGate {

    private static final Log logger = LogFactory.getLog(RequestGate.class);

    private final RuleDecider decider;
    private final RejectionWriter rejections;
    private final @Nullable ResourceResolver resources;

    public RequestGate(RuleDecider decider, RejectionWriter rejections, @Nullable ResourceResolver resources) {
        this.decider = decider;
        this.rejections = rejections;
        this.resources = resources;
    }

    /**
     * Whether the request may go on. If not, it has been answered, and what was taken before has been given back. If it
     * has to wait for its turn, it may go on as far as {@link WaitingInterceptor}.
     */
    boolean permits(
            ApplicableRules rules,
            String named,
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Verdict verdict;
        try {
            String resource = resources == null ? named : renamed(resources, request, named);
            RateLimitContext context = RateLimitContext.of(decisions.view(), resource);
            if (rules.waiting() && SuspendedRequest.isPossible(request)) {
                ReturningFuture<Verdict> pending = decider.decideLater(rules, context, resource);
                if (!pending.isDone()) {
                    decisions.pending(pending);
                    return true;
                }
                verdict = pending.join();
            } else {
                verdict = decider.decide(rules, context, resource);
            }
        } catch (RuntimeException failure) {
            return failed(response);
        }
        return permits(verdict, decisions, request, response);
    }

    /** The failure has been logged. Never unlimited, and not for a catch-all of the application to decide. */
    private static boolean failed(HttpServletResponse response) throws IOException {
        if (!response.isCommitted()) {
            response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        }
        return false;
    }

    /**
     * Whether a request may go on that may have had to wait; true if it had not. False also if its turn has not come:
     * then it is dispatched again when it has. In the middle of a forward the thread waits. False as well if the
     * container has reported the client as gone: no answer would be read.
     */
    boolean permitsAfterWaiting(HttpServletRequest request, HttpServletResponse response) throws IOException {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        ReturningFuture<Verdict> pending = decisions == null ? null : decisions.pending();
        if (decisions == null || pending == null) {
            return true;
        }
        if (!pending.isDone() && SuspendedRequest.isPossible(request)) {
            SuspendedRequest.suspend(request, response, pending);
            return false;
        }
        SuspendedRequest.resume(request);
        if (pending.isCancelled()) {
            return false;
        }
        decisions.noLongerPending();
        try {
            return permits(pending.join(), decisions, request, response);
        } catch (CompletionException failure) {
            return failed(response);
        }
    }

    private boolean permits(
            Verdict verdict,
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        decisions.addRequest(verdict);
        Decision decision = verdict.decision();
        if (decision == null || decision.permitted()) {
            return true;
        }
        decisions.ledger.giveBack();
        // Reading a parameter may have told the server that the client is gone: then nothing can be answered any more.
        if (!response.isCommitted()) {
            rejections.handle(decisions, request, response, decision);
        }
        return false;
    }

    private static String renamed(ResourceResolver resources, HttpServletRequest request, String named) {
        try {
            return resources.resolve(request, named);
        } catch (RuntimeException failure) {
            logger.error("The ResourceResolver failed for " + named, failure);
            throw failure;
        }
    }
}
