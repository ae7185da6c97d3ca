package dev.limiter.spring.web;

import dev.limiter.ReturningFuture;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.answer.PolicyTexts;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.RequestLedger;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.web.settle.HeldResponse;
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

    private HttpServletRequest request;
    private HttpServletResponse response;
    private RequestView view;
    private volatile @Nullable Wait wait;
    private @Nullable HeldResponse settling;
    private boolean owned;
    private boolean inside;
    private boolean endpointOpen = true;

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
        Wait begun = wait;
        if (begun != null) {
            begun.giveUp();
            wait = null;
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
            view = new ServletRequestView(wrapped, addresses, null);
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
    public List<RateLimitRule> rules() {
        return ledger.rules();
    }

    /** Adds the verdict of rules of the request. */
    void addRequest(Verdict verdict) {
        if (settling != null) {
            tellIfCommitted(settling, verdict);
        }
        ledger.addRequest(verdict, new ServletFieldSink(response));
    }

    @Override
    public void add(Verdict verdict) {
        if (settling != null) {
            tellIfCommitted(settling, verdict);
        }
        if (request.getDispatcherType() == DispatcherType.INCLUDE) {
            ledger.addFragment(verdict, new ServletFieldSink(response));
        } else {
            ledger.addHandler(verdict, new ServletFieldSink(response));
        }
    }

    @Override
    public void settleWithAnswer(Verdict verdict) {
        if (settling != null) {
            tellIfCommitted(settling, verdict);
        }
        ledger.settleWithAnswer(verdict);
    }

    /** Settles new open charges at once if the answer is already committed. */
    private void tellIfCommitted(HeldResponse held, Verdict verdict) {
        if (verdict.isOpen() && response.isCommitted()) {
            held.answer().committed();
        }
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
        if (ledger.settle(answer) && !response.isCommitted()) {
            try {
                ledger.writeReturned(decider, new ServletFieldSink(response));
            } catch (RuntimeException failure) {
                logger.warn("The RateLimit fields of an answer do not say what was given back", failure);
            }
        }
    }

    /** The request waits for a verdict from now on. */
    void waitFor(ReturningFuture<Verdict> verdict) {
        wait = new Wait(verdict);
    }

    /** The wait of the request, also when it is over; null if it has none to wait for. */
    @Nullable
    Wait waiting() {
        return wait;
    }

    /** The request is done: what it holds is free for others. */
    void close() {
        Wait begun = wait;
        if (begun != null) {
            begun.giveUp();
        }
        ledger.close();
    }

    /** The wrappers around a request and its response at one time. */
    record Seen(HttpServletRequest request, HttpServletResponse response, RequestView view) {}

    /** The wait of a request for its verdict, which is taken, or given up for good. Thread-safe. */
    static final class Wait {

        private enum State {
            PENDING,
            TAKEN,
            GIVEN_UP
        }

        final ReturningFuture<Verdict> verdict;
        private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);

        Wait(ReturningFuture<Verdict> verdict) {
            this.verdict = verdict;
        }

        /** Whether there is still a verdict to come. */
        boolean isPending() {
            return state.get() == State.PENDING && !verdict.isDone();
        }

        /** Whether the request has gone on with its verdict. */
        boolean isTaken() {
            return state.get() == State.TAKEN;
        }

        /** Whether the caller is the one to go on with the verdict: nobody after it was given up. */
        boolean take() {
            return !verdict.isCancelled() && state.compareAndSet(State.PENDING, State.TAKEN);
        }

        /** Gives up the place, or what was granted meanwhile, unless that was taken. */
        void giveUp() {
            if (state.compareAndSet(State.PENDING, State.GIVEN_UP)) {
                verdict.giveUp();
            }
        }
    }
}
