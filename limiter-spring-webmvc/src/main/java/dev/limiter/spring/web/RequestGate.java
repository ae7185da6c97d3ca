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

/** Decides rules about a request, wherever that is on its way, and answers it if it is rejected. Thread-safe. */
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
     * Whether the request may go on. If not, it has been answered, and what was taken before has been given back. If it
     * has to wait for its turn, it may go on as far as {@link WaitingInterceptor}.
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

    /** The same before the request is routed, when each rule names the resource in its own way. */
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
     * Blocks as {@link RuleDecider#decide} does until it is certain that the request waits for its turn: what comes after
     * this may answer the request itself, and must not do so instead of a rejection.
     */
    private ReturningFuture<Verdict> beginToWait(ApplicableRules rules, RuleContexts contexts) {
        CompletableFuture<@Nullable Void> certain = new CompletableFuture<>();
        ReturningFuture<Verdict> pending = decider.decideLater(rules, contexts, () -> certain.complete(null));
        var unused = pending.whenComplete((verdict, failure) -> certain.complete(null));
        certain.join();
        return pending;
    }

    /** Never unlimited, and not for a catch-all of the application to decide. The failure of a rule has been logged. */
    private boolean failed(RuntimeException thrown, HttpServletResponse response) throws IOException {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (!(failure instanceof RuleEvaluationException)) {
            StackTraceElement[] trace = failure.getStackTrace();
            String place = trace.length == 0 ? failure.getClass().getName() : trace[0].toString();
            failures.error(place, "A request could not be decided, and is answered with 500", failure);
        }
        if (!response.isCommitted()) {
            response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        }
        return false;
    }

    /**
     * Whether a request may go on that may have had to wait; true if it had not. In the middle of a forward the thread
     * waits. False as well if the wait was given up, such as for a client that the container has reported as gone: no
     * answer would be read.
     *
     * @throws ModelAndViewDefiningException if its turn has not come: it is dispatched again when it has
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
        // Reading a parameter may have told the server that the client is gone: then nothing can be answered any more.
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
            throw new IllegalStateException("The ResourceResolver failed for " + named, failure);
        }
        if (resource == null) {
            throw new IllegalStateException("The ResourceResolver returned null for " + named);
        }
        return resource;
    }
}
