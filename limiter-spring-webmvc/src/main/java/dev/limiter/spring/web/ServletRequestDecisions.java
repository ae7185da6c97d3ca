package dev.limiter.spring.web;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.ReturningFuture;
import dev.limiter.spring.answer.PolicyText;
import dev.limiter.spring.answer.PolicyTexts;
import dev.limiter.spring.answer.RateLimitHeaders;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.web.settle.HeldResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** The decisions about a servlet request, kept in an attribute of it: of its rules, then of its handler. */
final class ServletRequestDecisions implements RequestDecisions {

    private static final Log logger = LogFactory.getLog(ServletRequestDecisions.class);

    private static final String ATTRIBUTE = ServletRequestDecisions.class.getName();

    private HttpServletRequest request;
    private HttpServletResponse response;
    private RequestView view;
    private final PolicyTexts texts;
    private List<Verdict> verdicts = List.of();
    private List<RateLimitRule> rules = List.of();
    private List<RateLimitRule> handlerRules = List.of();
    private List<RateLimitRule> decidedOnArrival = List.of();
    private List<RateLimitRule> order = List.of();
    private @Nullable Verdict refusal;
    private volatile List<Verdict> open = List.of();
    private @Nullable ReturningFuture<Verdict> pending;
    private @Nullable HeldResponse settling;
    private boolean owned;
    private boolean inside;
    private boolean endpointOpen = true;

    private ServletRequestDecisions(
            HttpServletRequest request, HttpServletResponse response, RequestView view, PolicyTexts texts) {
        this.request = request;
        this.response = response;
        this.view = view;
        this.texts = texts;
    }

    static ServletRequestDecisions start(
            HttpServletRequest request, HttpServletResponse response, RequestView view, PolicyTexts texts) {
        ServletRequestDecisions decisions = new ServletRequestDecisions(request, response, view, texts);
        request.setAttribute(ATTRIBUTE, decisions);
        return decisions;
    }

    static @Nullable ServletRequestDecisions of(HttpServletRequest request) {
        return (ServletRequestDecisions) request.getAttribute(ATTRIBUTE);
    }

    /** Marks the request as one whose end another component reports. */
    void own() {
        owned = true;
    }

    boolean isOwned() {
        return owned;
    }

    /** Whether a dispatch begins, and not one within another. Each that does has to {@link #leave()}. */
    boolean enter() {
        boolean begins = !inside;
        inside = true;
        return begins;
    }

    void leave() {
        inside = false;
    }

    /** Whether the endpoint may still be decided: no endpoint with rules was, and the request has not failed. */
    boolean isEndpointOpen() {
        return endpointOpen;
    }

    /** The request has come to an endpoint with rules: no other one is decided. */
    void endpointDecided() {
        endpointOpen = false;
    }

    /** The next handler, of any kind, continues the decisions made so far. */
    void dispatchedAgain() {
        rules = with(rules, handlerRules);
        handlerRules = List.of();
    }

    /** The request has failed: an error page follows, which is not decided. */
    void answerError() {
        endpointOpen = false;
    }

    boolean isAbout(HttpServletRequest other, HttpServletResponse otherResponse) {
        return request == other && response == otherResponse;
    }

    /** The same request, in the wrappers of later filters. */
    void continueWith(HttpServletRequest wrapped, HttpServletResponse wrappedResponse, RequestView wrappedView) {
        request = wrapped;
        response = wrappedResponse;
        view = wrappedView;
    }

    /**
     * Adds rules that are decided before the request is routed.
     *
     * @param all the rules that apply by paths, in the order in which clients are told of them
     */
    void arrive(List<RateLimitRule> deciding, List<RateLimitRule> all) {
        decidedOnArrival = with(decidedOnArrival, deciding);
        order = all;
    }

    /** The rules already decided, with any result. */
    List<RateLimitRule> decidedOnArrival() {
        return decidedOnArrival;
    }

    @Override
    public RequestView view() {
        return view;
    }

    @Override
    public boolean isHandler(Method method, Class<?> targetClass) {
        if (!(request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE) instanceof HandlerMethod handler)) {
            return false;
        }
        Method answering = handler.getMethod();
        return answering.equals(method)
                || answering.getName().equals(method.getName())
                        && answering.getDeclaringClass().isAssignableFrom(targetClass)
                        && AopUtils.getMostSpecificMethod(answering, targetClass)
                                .equals(method);
    }

    @Override
    public List<RateLimitRule> rules() {
        return rules;
    }

    /** Whether anything was decided about the request, so that fields may have been written. */
    boolean hasVerdicts() {
        return !verdicts.isEmpty();
    }

    /** Adds the verdict of rules of the request. */
    void addRequest(Verdict verdict) {
        rules = with(rules, verdict.rules());
        if (verdict.permitted()) {
            addPermitted(verdict);
        } else {
            remember(verdict); // the fields are those of the rejection, which follows
        }
    }

    private static <T> List<T> with(List<T> some, List<T> more) {
        if (some.isEmpty()) {
            return more;
        }
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    @Override
    public void add(Verdict verdict) {
        if (verdict.permitted()) {
            handlerRules = with(handlerRules, verdict.rules());
        }
        addPermitted(verdict);
    }

    /** Fields are written at once, also for what is permitted: later the answer may be under way. */
    private void addPermitted(Verdict verdict) {
        remember(verdict);
        Decision decision = verdict.decision();
        if (decision != null && verdict.hasFields()) {
            headers(verdict, decision).writeTo(new ServletFieldSink(response));
        }
    }

    private void remember(Verdict verdict) {
        verdicts = with(verdicts, List.of(verdict));
        settleWithAnswer(verdict);
    }

    @Override
    public void settleWithAnswer(Verdict verdict) {
        if (verdict.isOpen()) {
            if (settling != null && response.isCommitted()) {
                settling.answer().committed();
            }
            synchronized (this) {
                open = with(open, List.of(verdict));
            }
        }
    }

    /** Whether anything has ever waited for the answer. */
    boolean awaitAnswer() {
        return !open.isEmpty();
    }

    /** The response that settles charges before it is sent; null if none does. */
    @Nullable
    HeldResponse settling() {
        return settling;
    }

    void settling(HeldResponse response) {
        settling = response;
    }

    /** The answer is about to be sent: settles what waited for it, and tells the client where that leaves it. */
    void answered(ResponseView answer, RuleDecider decider) {
        List<Verdict> settling = open;
        if (settling.isEmpty()) {
            return;
        }
        settling.forEach(verdict -> verdict.answered(answer));
        if (!response.isCommitted() && verdicts.stream().anyMatch(Verdict::returned)) {
            try {
                headers(verdict -> verdict.returned() ? decider.peek(verdict) : verdict.statuses())
                        .writeTo(new ServletFieldSink(response));
            } catch (RuntimeException failure) {
                logger.warn("The RateLimit fields of an answer do not say what was given back", failure);
            }
        }
    }

    @Override
    public void addRefusal(Verdict verdict) {
        refusal = verdict;
    }

    /**
     * Whether a refusal is no fault of the client: by what all are served at once, or by a limit of the application's
     * own.
     */
    boolean isOverload(Decision decision) {
        Verdict refusing = refusing(decision);
        return refusing.decidedForServer() || decision.limit().isHeld() && refusing.decidedForAll();
    }

    private Verdict refusing(Decision decision) {
        if (refusal != null && refusal.decision() == decision) {
            return refusal;
        }
        for (Verdict verdict : verdicts) {
            if (verdict.decision() == decision) {
                return verdict;
            }
        }
        return Verdict.UNLIMITED;
    }

    /** Sets the verdict to come of a request that waits. */
    synchronized void pending(ReturningFuture<Verdict> verdict) {
        pending = verdict;
    }

    /** The verdict to come of a request that waits; null if it does not wait. */
    synchronized @Nullable ReturningFuture<Verdict> pending() {
        return pending;
    }

    synchronized void noLongerPending() {
        pending = null;
    }

    /** The request is done: what it holds is free for others. */
    void close() {
        ReturningFuture<Verdict> waiting = pending();
        noLongerPending();
        if (waiting != null) {
            waiting.giveUp();
        }
        verdicts.forEach(Verdict::close);
    }

    /** Another decision rejected the request: what was permitted is returned. */
    void giveBack() {
        verdicts.forEach(Verdict::giveBack);
    }

    /**
     * Writes where the limits stand once the request is rejected.
     *
     * @param decision the refusal; it may be one of a method that was called on the way
     * @param style of the refusal, if no rule is known for it
     */
    void writeRejection(RuleDecider decider, Decision decision, HeaderStyle style) {
        if (verdicts.size() == 1 && verdicts.get(0).decision() == decision) {
            headers(verdicts.get(0), decision).writeTo(new ServletFieldSink(response));
            return;
        }
        RateLimitHeaders headers = headers(verdict -> verdict.permitted() ? decider.peek(verdict) : verdict.statuses());
        if (verdicts.stream().noneMatch(verdict -> verdict.decision() == decision)) {
            addUnknown(headers, decision, style);
        }
        headers.writeTo(new ServletFieldSink(response));
    }

    /** The refusal of a method that was called on the way. */
    private void addUnknown(RateLimitHeaders headers, Decision decision, HeaderStyle style) {
        if (refusal == null || refusal.decision() != decision) {
            headers.add(style, decision.limits());
            return;
        }
        for (int i = 0; i < refusal.rules().size(); i++) {
            List<LimitStatus> statuses = refusal.statuses().get(i);
            if (!statuses.isEmpty()) {
                headers.add(refusal.rules().get(i), texts.of(refusal.asked(i)), refusal.charge(i), statuses);
            }
        }
    }

    /** Where the limits stand that were decided now, and those that were before. */
    private RateLimitHeaders headers(Verdict latest, Decision decision) {
        if (verdicts.size() > 1 || !latest.hasOneLimit()) {
            return headers(Verdict::statuses);
        }
        // nearly every request: there is no need to collect what is only one
        RateLimitHeaders headers = new RateLimitHeaders();
        headers.add(latest.rules().get(0), texts.of(latest.asked(0)), latest.charge(0), decision);
        return headers;
    }

    /** Where the limits of all rules stand, in the order of the rules; those of annotations last. */
    private RateLimitHeaders headers(Function<Verdict, List<List<LimitStatus>>> statuses) {
        record Standing(RateLimitRule rule, PolicyText text, Charge charge, List<LimitStatus> statuses) {}
        List<Standing> standings = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            List<List<LimitStatus>> byRule = statuses.apply(verdict);
            for (int i = 0; i < byRule.size(); i++) {
                if (byRule.get(i).isEmpty()) {
                    continue; // their standing is unknown
                }
                standings.add(new Standing(
                        verdict.rules().get(i), texts.of(verdict.asked(i)), verdict.charge(i), byRule.get(i)));
            }
        }
        standings.sort(Comparator.comparingInt(standing -> position(standing.rule())));
        RateLimitHeaders headers = new RateLimitHeaders();
        for (Standing standing : standings) {
            headers.add(standing.rule(), standing.text(), standing.charge(), standing.statuses());
        }
        return headers;
    }

    private int position(RateLimitRule rule) {
        int position = order.indexOf(rule);
        return position < 0 ? order.size() : position;
    }
}
