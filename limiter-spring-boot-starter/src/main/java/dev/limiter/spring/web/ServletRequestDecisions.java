package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.RateLimitRule;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** What was decided about a servlet request, kept in an attribute of it: by its rules, then by its handler. */
final class ServletRequestDecisions implements RequestDecisions {

    private static final String ATTRIBUTE = ServletRequestDecisions.class.getName();

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final RequestView view;
    private final List<Verdict> verdicts = new ArrayList<>(2);
    private List<RateLimitRule> rules = List.of();
    private @Nullable Verdict refusal;

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

    /** What the rules of the request decided. */
    void addRequest(Verdict verdict) {
        rules = verdict.rules();
        add(verdict);
    }

    /** Fields are written at once, also for what is permitted: later the answer may be under way. */
    @Override
    public void add(Verdict verdict) {
        verdicts.add(verdict);
        if (verdict.decision() != null) {
            write(verdicts.stream().map(Verdict::statuses).toList());
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

    /** The request is done: what it holds is free for others. */
    void close() {
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
        RateLimitHeaders headers = new RateLimitHeaders();
        boolean known = false;
        for (Verdict verdict : verdicts) {
            known |= verdict.decision() == decision;
            add(headers, verdict, verdict.permitted() ? decider.peek(verdict) : verdict.statuses());
        }
        if (!known && refusal != null && refusal.decision() == decision) {
            add(headers, refusal, refusal.statuses());
        } else if (!known) {
            headers.add(style, decision.limits());
        }
        headers.writeTo(response);
    }

    private void write(List<List<List<LimitStatus>>> statuses) {
        RateLimitHeaders headers = new RateLimitHeaders();
        for (int i = 0; i < statuses.size(); i++) {
            add(headers, verdicts.get(i), statuses.get(i));
        }
        headers.writeTo(response);
    }

    private static void add(RateLimitHeaders headers, Verdict verdict, List<List<LimitStatus>> statuses) {
        for (int i = 0; i < statuses.size(); i++) {
            headers.add(verdict.rules().get(i).headers(), statuses.get(i));
        }
    }
}
