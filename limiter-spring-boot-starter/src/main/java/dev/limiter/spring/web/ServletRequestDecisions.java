package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.RateLimitRule;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** What was decided about a servlet request, kept in an attribute of it: by its rules, then by its handler. */
final class ServletRequestDecisions implements RequestDecisions {

    private static final Log logger = LogFactory.getLog(ServletRequestDecisions.class);

    private static final String ATTRIBUTE = ServletRequestDecisions.class.getName();

    private HttpServletRequest request;
    private HttpServletResponse response;
    private RequestView view;
    private final List<Verdict> verdicts = new ArrayList<>(2);
    private List<RateLimitRule> rules = List.of();
    private List<RateLimitRule> decidedOnArrival = List.of();
    private List<RateLimitRule> order = List.of();
    private @Nullable Verdict refusal;
    private final Queue<Verdict> open = new ConcurrentLinkedQueue<>();
    private @Nullable CompletableFuture<Verdict> pending;

    private ServletRequestDecisions(HttpServletRequest request, HttpServletResponse response, RequestView view) {
        this.request = request;
        this.response = response;
        this.view = view;
    }

    static ServletRequestDecisions start(HttpServletRequest request, HttpServletResponse response, RequestView view) {
        ServletRequestDecisions decisions = new ServletRequestDecisions(request, response, view);
        request.setAttribute(ATTRIBUTE, decisions);
        return decisions;
    }

    static @Nullable ServletRequestDecisions of(HttpServletRequest request) {
        return (ServletRequestDecisions) request.getAttribute(ATTRIBUTE);
    }

    boolean isAbout(HttpServletRequest other, HttpServletResponse otherResponse) {
        return request == other && response == otherResponse;
    }

    /** The same request, wrapped by those that it came through. */
    void continueWith(HttpServletRequest wrapped, HttpServletResponse wrappedResponse, RequestView wrappedView) {
        request = wrapped;
        response = wrappedResponse;
        view = wrappedView;
    }

    /**
     * The rules that are decided before the request is routed.
     *
     * @param all the rules that apply by paths, in the order in which clients are told of them
     */
    void arrive(List<RateLimitRule> deciding, List<RateLimitRule> all) {
        decidedOnArrival = deciding;
        order = all;
    }

    /** The rules that need not be decided any more, whatever came of it. */
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

    /** What rules of the request decided. */
    void addRequest(Verdict verdict) {
        rules = rules.isEmpty()
                ? verdict.rules()
                : Stream.concat(rules.stream(), verdict.rules().stream()).toList();
        add(verdict);
    }

    /** Fields are written at once, also for what is permitted: later the answer may be under way. */
    @Override
    public void add(Verdict verdict) {
        verdicts.add(verdict);
        settleWithAnswer(verdict);
        if (verdict.decision() != null) {
            headers(verdicts.stream().map(Verdict::statuses).toList()).writeTo(response);
        }
    }

    @Override
    public void settleWithAnswer(Verdict verdict) {
        if (!verdict.open().isEmpty()) {
            open.add(verdict);
        }
    }

    /** The answer is about to be sent: settles what waited for it, and tells the client where that leaves it. */
    void answered(ResponseView answer, RuleDecider decider) {
        if (open.isEmpty()) {
            return;
        }
        open.forEach(verdict -> verdict.answered(answer));
        if (!response.isCommitted() && verdicts.stream().anyMatch(Verdict::returned)) {
            try {
                headers(verdicts.stream()
                                .map(verdict -> verdict.returned() ? decider.peek(verdict) : verdict.statuses())
                                .toList())
                        .writeTo(response);
            } catch (RuntimeException failure) {
                logger.warn("The RateLimit fields of an answer do not say what was given back", failure);
            }
        }
    }

    @Override
    public void addRefusal(Verdict verdict) {
        refusal = verdict;
    }

    /** Whether a refusal is by a limit on how many requests of all callers are served at once. */
    boolean isOverload(Decision decision) {
        Verdict refusing = refusal != null && refusal.decision() == decision
                ? refusal
                : verdicts.stream()
                        .filter(verdict -> verdict.decision() == decision)
                        .findFirst()
                        .orElse(Verdict.UNLIMITED);
        return decision.limit() instanceof Limit.Concurrency && refusing.decidedForAll();
    }

    /** What is decided when the request has waited. */
    synchronized void pending(CompletableFuture<Verdict> verdict) {
        pending = verdict;
    }

    /** What is decided while the request waits; null if it does not. */
    synchronized @Nullable CompletableFuture<Verdict> pending() {
        return pending;
    }

    synchronized void noLongerPending() {
        pending = null;
    }

    /** The request is done: what it holds is free for others. */
    void close() {
        CompletableFuture<Verdict> waiting = pending();
        noLongerPending();
        if (waiting != null && !waiting.cancel(true) && !waiting.isCompletedExceptionally()) {
            waiting.join().giveBack();
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
        List<List<List<LimitStatus>>> statuses = verdicts.stream()
                .map(verdict -> verdict.permitted() ? decider.peek(verdict) : verdict.statuses())
                .toList();
        RateLimitHeaders headers = headers(statuses);
        if (verdicts.stream().noneMatch(verdict -> verdict.decision() == decision)) {
            addUnknown(headers, decision, style);
        }
        headers.writeTo(response);
    }

    /** The refusal of a method that was called on the way. */
    private void addUnknown(RateLimitHeaders headers, Decision decision, HeaderStyle style) {
        if (refusal == null || refusal.decision() != decision) {
            headers.add(style, decision.limits());
            return;
        }
        for (int i = 0; i < refusal.rules().size(); i++) {
            headers.add(refusal.rules().get(i).headers(), refusal.statuses().get(i));
        }
    }

    /** Where the limits of all rules stand, in the order of the rules; those of annotations last. */
    private RateLimitHeaders headers(List<List<List<LimitStatus>>> statuses) {
        RateLimitHeaders headers = new RateLimitHeaders();
        if (order.isEmpty()) {
            forEach(statuses, (rule, status) -> headers.add(rule.headers(), status));
            return headers;
        }
        record Standing(RateLimitRule rule, List<LimitStatus> status) {}
        List<Standing> standings = new ArrayList<>();
        forEach(statuses, (rule, status) -> standings.add(new Standing(rule, status)));
        standings.sort(Comparator.comparingInt(standing -> position(standing.rule())));
        standings.forEach(standing -> headers.add(standing.rule().headers(), standing.status()));
        return headers;
    }

    private void forEach(List<List<List<LimitStatus>>> statuses, BiConsumer<RateLimitRule, List<LimitStatus>> action) {
        for (int i = 0; i < statuses.size(); i++) {
            List<RateLimitRule> decided = verdicts.get(i).rules();
            for (int j = 0; j < statuses.get(i).size(); j++) {
                action.accept(decided.get(j), statuses.get(i).get(j));
            }
        }
    }

    private int position(RateLimitRule rule) {
        int position = order.indexOf(rule);
        return position < 0 ? order.size() : position;
    }
}
