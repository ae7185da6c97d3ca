package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.edge.ArrivingRequest;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.failure.FailureLog;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.ModelAndViewDefiningException;

/** Decides rules for a request at any stage, and writes the response if it is rejected. Thread-safe. */
public final class RequestGate {

    private final FailureLog failures = new FailureLog(LogFactory.getLog(RequestGate.class));
    private final RuleDecider decider;
    private final RejectionDispatcher rejections;
    private final @Nullable ResourceResolver resources;

    public RequestGate(RuleDecider decider, RejectionDispatcher rejections, @Nullable ResourceResolver resources) {
        this.decider = decider;
        this.rejections = rejections;
        this.resources = resources;
    }

    /**
     * Returns whether the request may proceed. If not, the response has been written, and earlier charges are refunded.
     * A request that must wait may proceed to {@link WaitingInterceptor}.
     *
     * @param named the resource, as mapped
     */
    boolean permits(
            ApplicableRules rules,
            String named,
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Supplier<RuleContexts> subject = () -> {
            RateLimitContext context = context(named, decisions, request);
            return rule -> context;
        };
        return permits(rules, subject, decisions, request, response);
    }

    /** Decides rules before routing, when each rule names the resource by its own path. */
    boolean permits(
            ArrivingRequest arriving,
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Supplier<RuleContexts> subject = () -> {
            Map<RateLimitRule, RateLimitContext> contexts = new HashMap<>();
            arriving.resources().forEach((rule, named) -> contexts.put(rule, context(named, decisions, request)));
            return rule -> Objects.requireNonNull(contexts.get(rule));
        };
        return permits(ApplicableRules.of(arriving.rules()), subject, decisions, request, response);
    }

    private boolean permits(
            ApplicableRules rules,
            Supplier<RuleContexts> subject,
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Verdict verdict;
        try {
            RuleContexts contexts = subject.get();
            if (rules.waiting() && SuspendedRequest.isPossible(request)) {
                ReturningFuture<Verdict> pending = beginToWait(rules, contexts);
                if (!pending.isDone()) {
                    decisions.waitFor(new RequestWait(rules, pending));
                    return true;
                }
                verdict = pending.join();
            } else {
                verdict = decider.decide(rules, contexts);
            }
        } catch (RuntimeException failure) {
            return failed(failure, response);
        }
        return permits(verdict, decisions, request, response);
    }

    /**
     * Blocks like {@link RuleDecider#decide} until it is certain that the request must wait. Later interceptors may
     * write a response, which must not replace a rejection.
     */
    private ReturningFuture<Verdict> beginToWait(ApplicableRules rules, RuleContexts contexts) {
        CompletableFuture<@Nullable Void> certain = new CompletableFuture<>();
        ReturningFuture<Verdict> pending = decider.decideLater(rules, contexts, () -> certain.complete(null));
        var unused = pending.whenComplete((verdict, failure) -> certain.complete(null));
        certain.join();
        return pending;
    }

    /**
     * Responds with 500 to a failure, so that it neither avoids the limits nor reaches catch-all exception handlers.
     * Failures of rules were logged before.
     */
    private boolean failed(RuntimeException thrown, HttpServletResponse response) throws IOException {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (!(failure instanceof RuleEvaluationException)) {
            StackTraceElement[] trace = failure.getStackTrace();
            String place = trace.length == 0 ? failure.getClass().getName() : trace[0].toString();
            failures.error(place, "Deciding a request failed; its response is 500", failure);
        }
        if (!response.isCommitted()) {
            response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        }
        return false;
    }

    /**
     * Returns whether a request may proceed after a possible wait. Inside a forward, the thread waits. Also
     * returns false if the wait was cancelled, for example because the client has disconnected.
     *
     * @throws ModelAndViewDefiningException if the wait is not over; the request is dispatched again afterwards
     */
    boolean permitsAfterWaiting(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ModelAndViewDefiningException {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        RequestWait wait = decisions == null ? null : decisions.waiting();
        if (decisions == null || wait == null || wait.isTaken()) {
            return true;
        }
        if (wait.isPending() && SuspendedRequest.isPossible(request) && wait.begin()) {
            throw SuspendedRequest.suspend(request, response, wait.verdict);
        }
        SuspendedRequest.resume(request);
        if (!wait.take()) {
            return false;
        }
        try {
            return permits(wait.verdict.join(), decisions, request, response);
        } catch (CompletionException failure) {
            return failed(failure, response);
        }
    }

    /** Suspends a request that waits, inside its handler. It is dispatched again afterwards. */
    void suspend(HttpServletRequest request, HttpServletResponse response) throws ModelAndViewDefiningException {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        RequestWait wait = decisions == null ? null : decisions.waiting();
        if (wait != null && wait.begin()) {
            throw SuspendedRequest.suspend(request, response, wait.verdict);
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
        decisions.giveBack();
        // The response is committed if the server has detected, by reading a parameter, that the client disconnected.
        if (!response.isCommitted()) {
            rejections.handle(decisions, request, response, decision);
        }
        return false;
    }

    private RateLimitContext context(String named, ServletRequestDecisions decisions, HttpServletRequest request) {
        String resource = resources == null ? named : renamed(resources, request, named);
        return RateLimitContext.of(decisions.view(), resource);
    }

    private static String renamed(ResourceResolver resources, HttpServletRequest request, String named) {
        String resource;
        try {
            resource = resources.resolve(request, named);
        } catch (RuntimeException failure) {
            throw new IllegalStateException("The ResourceResolver bean failed for " + named, failure);
        }
        if (resource == null) {
            throw new IllegalStateException(
                    "The ResourceResolver bean returned null for " + named + "; it must return a name");
        }
        return resource;
    }
}
