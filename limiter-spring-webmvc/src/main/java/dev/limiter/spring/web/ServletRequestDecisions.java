package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.answer.FieldSink;
import dev.limiter.spring.answer.PolicyTexts;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.RequestLedger;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.rule.HeaderStyle;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** The {@link RequestLedger} of a servlet request, kept in an attribute of it, and where the request is on its way. */
final class ServletRequestDecisions implements RequestDecisions {

    private static final Log logger = LogFactory.getLog(ServletRequestDecisions.class);

    private static final String ATTRIBUTE = ServletRequestDecisions.class.getName();

    final RequestLedger ledger;
    final PendingFields fields = new PendingFields();

    private HttpServletRequest request;
    private HttpServletResponse response;
    private RequestView view;
    private volatile @Nullable Wait wait;
    private @Nullable BeforeCommitResponse answer;
    private boolean owned;
    private boolean inside;
    private boolean endpointOpen = true;
    private boolean handlerOpen = true;

    /** Begins the state of a request, and keeps it in the request. */
    ServletRequestDecisions(
            HttpServletRequest request, HttpServletResponse response, RequestView view, PolicyTexts texts) {
        this.request = request;
        this.response = response;
        this.view = view;
        this.ledger = new RequestLedger(texts);
        request.setAttribute(ATTRIBUTE, this);
    }

    static @Nullable ServletRequestDecisions of(HttpServletRequest request) {
        return (ServletRequestDecisions) request.getAttribute(ATTRIBUTE);
    }

    /**
     * Whether a dispatch begins, and not one within another, by a component that reports the end of the request. Each
     * that does has to {@link #leave()}.
     */
    boolean enter() {
        boolean begins = !inside;
        inside = true;
        owned = true;
        return begins;
    }

    /** Whether the end of the request is reported. */
    boolean isOwned() {
        return owned;
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

    /** The request has failed: an error page follows, which is not decided and waits for nothing. */
    void answerError() {
        endpointOpen = false;
        handlerOpen = false;
        Wait known = wait;
        if (known != null) {
            known.end();
            wait = null;
        }
    }

    /** The request is on its way to another handler, which is decided if none was before, or back from its wait. */
    void dispatchedAgain() {
        handlerOpen &= !ledger.handlerDecided();
        Wait known = wait;
        if (known != null) {
            known.comeBack();
        }
    }

    /**
     * Continues with the wrappers that later filters put around the same request: only what comes out of Spring Security
     * knows the user.
     */
    void continueWith(HttpServletRequest wrapped, HttpServletResponse wrappedResponse, ClientAddresses addresses) {
        if (request != wrapped || response != wrappedResponse) {
            request = wrapped;
            response = wrappedResponse;
            view = new ServletRequestView(wrapped, addresses);
        }
    }

    /** The wrappers around the request and its response, as they are now. */
    Seen seen() {
        return new Seen(request, response, view);
    }

    /** Continues behind an include: its request has attributes of its own, and its response ignores fields. */
    void continueWith(Seen outside) {
        request = outside.request;
        response = outside.response;
        view = outside.view;
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
    public boolean isHandlerOpen() {
        return handlerOpen || request.getDispatcherType() == DispatcherType.INCLUDE;
    }

    @Override
    public List<RateLimitRule> rules() {
        return ledger.rules();
    }

    /** Adds the verdict of rules of the request. */
    void addRequest(Verdict verdict) {
        ledger.addRequest(verdict, sink());
        changed();
    }

    @Override
    public void add(Verdict verdict) {
        if (request.getDispatcherType() == DispatcherType.INCLUDE) {
            ledger.addFragment(verdict, sink());
        } else {
            ledger.addHandler(verdict, sink());
        }
        changed();
    }

    @Override
    public void settleWithAnswer(Verdict verdict) {
        ledger.settleWithAnswer(verdict);
        changed();
    }

    /** Writes where the limits stand once the request is rejected. */
    void writeRejection(RuleDecider decider, Decision decision, HeaderStyle style) {
        ledger.writeRejection(decider, decision, style, sink());
        changed();
    }

    /** Fields wait for the commit of the response; without the filter that sees it, they are written at once. */
    private FieldSink sink() {
        return answer == null ? response::setHeader : fields;
    }

    private void changed() {
        if (answer != null) {
            answer.changed();
        }
    }

    /** The present response of the request, which has to write the {@link #fields}. */
    void answerWith(BeforeCommitResponse present) {
        answer = present;
    }

    /** The response is about to be committed: settles the charges that depend on it, and updates the fields. */
    void settle(ResponseView committing, RuleDecider decider) {
        if (ledger.settle(committing) && !response.isCommitted()) {
            try {
                ledger.writeReturned(decider, fields);
            } catch (RuntimeException failure) {
                logger.warn("The RateLimit fields of a response do not include what was refunded", failure);
            }
        }
    }

    /** The request waits for a verdict from now on. */
    void waitFor(ApplicableRules rules, ReturningFuture<Verdict> verdict) {
        wait = new Wait(rules, verdict);
    }

    /** The wait of the request, also when it is over; null if it has none to wait for. */
    @Nullable
    Wait waiting() {
        return wait;
    }

    /** The request is done: what it holds is free for others. */
    void close() {
        Wait known = wait;
        if (known != null) {
            known.end();
        }
        ledger.close();
    }

    /** The wrappers around a request and its response at one time. */
    record Seen(HttpServletRequest request, HttpServletResponse response, RequestView view) {}

    /**
     * The wait of a request for its verdict. A request that ends while it waits gives up its place, for its client is
     * gone. One that is answered on its way to the handler, such as by an interceptor, stays charged: the verdict may
     * come later than the answer, so that does not settle it. Thread-safe.
     */
    static final class Wait {

        private enum State {
            COMING,
            WAITING,
            TAKEN,
            OVER
        }

        final ReturningFuture<Verdict> verdict;
        private final ApplicableRules rules;
        private final AtomicReference<State> state = new AtomicReference<>(State.COMING);

        Wait(ApplicableRules rules, ReturningFuture<Verdict> verdict) {
            this.rules = rules;
            this.verdict = verdict;
        }

        /** Whether there is still a verdict to come. */
        boolean isPending() {
            State now = state.get();
            return (now == State.COMING || now == State.WAITING) && !verdict.isDone();
        }

        /** Whether the request has gone on with its verdict. */
        boolean isTaken() {
            return state.get() == State.TAKEN;
        }

        /** Whether the request waits from now on: not once it is over. */
        boolean begin() {
            return state.compareAndSet(State.COMING, State.WAITING) || state.get() == State.WAITING;
        }

        /** The request is on its way to the handler once more. */
        void comeBack() {
            state.compareAndSet(State.WAITING, State.COMING);
        }

        /** Whether the caller is the one to go on with the verdict: nobody after the wait is over. */
        boolean take() {
            return !verdict.isCancelled()
                    && (state.compareAndSet(State.COMING, State.TAKEN)
                            || state.compareAndSet(State.WAITING, State.TAKEN));
        }

        /** The request is over, unless the verdict was taken. */
        void end() {
            State before = state.getAndUpdate(now -> now == State.TAKEN ? State.TAKEN : State.OVER);
            if (before == State.COMING && rules.charging()) {
                var unused = verdict.thenAccept(Verdict::close);
            } else if (before == State.COMING || before == State.WAITING) {
                verdict.giveUp();
            }
        }
    }
}
