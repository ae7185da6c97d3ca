package dev.limiter.spring.web;

import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.response.FieldSink;
import dev.limiter.spring.response.PolicyTexts;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** The decisions about a servlet request, kept in an attribute of it, and where the request is on its way. */
final class ServletRequestDecisions extends RequestDecisions {

    private static final Log logger = LogFactory.getLog(ServletRequestDecisions.class);

    private static final String ATTRIBUTE = ServletRequestDecisions.class.getName();

    /** A {@code List<String>} for handlers: the rules in shadow mode that would have rejected the request. */
    private static final String EXCEEDED = "dev.limiter.exceeded";

    final PendingFields pendingFields = new PendingFields();

    private HttpServletRequest request;
    private HttpServletResponse response;
    private RequestView view;
    private volatile @Nullable RequestWait wait;
    private @Nullable BeforeCommitResponse answer;
    private boolean owned;
    private boolean inside;
    private boolean endpointOpen = true;
    private boolean handlerOpen = true;

    /** Begins the state of a request, and keeps it in the request. */
    ServletRequestDecisions(
            HttpServletRequest request, HttpServletResponse response, RequestView view, PolicyTexts texts) {
        super(texts);
        this.request = request;
        this.response = response;
        this.view = view;
        request.setAttribute(ATTRIBUTE, this);
    }

    static @Nullable ServletRequestDecisions of(HttpServletRequest request) {
        return (ServletRequestDecisions) request.getAttribute(ATTRIBUTE);
    }

    /**
     * Returns whether a dispatch begins, and not one within another. Called by the filter, which reports the end of the
     * request, and has to {@link #leave()} each dispatch that has begun.
     */
    boolean enter() {
        boolean begins = !inside;
        inside = true;
        owned = true;
        return begins;
    }

    /** Whether the request has come by the filter, so that its end is reported. */
    boolean isOwned() {
        return owned;
    }

    /** Whether a dispatch is on its way through the filter. */
    boolean isInside() {
        return inside;
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
        RequestWait known = wait;
        if (known != null) {
            known.end();
            wait = null;
        }
    }

    /** The request is on its way to another handler, which is decided if none was before, or back from its wait. */
    void dispatchedAgain() {
        handlerOpen &= !handlerDecided();
        RequestWait known = wait;
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
        return handlerOpen || isIncluded();
    }

    private boolean isIncluded() {
        return request.getDispatcherType() == DispatcherType.INCLUDE;
    }

    /** A page says nothing of a fragment that it includes and that is rejected. */
    @Override
    public void add(Verdict verdict) {
        if (verdict.permitted() || !isIncluded()) {
            super.add(verdict);
        }
    }

    /** A page stays charged when a fragment is rejected that it includes: it is served all the same. */
    @Override
    public void giveBack() {
        if (!isIncluded()) {
            super.giveBack();
        }
    }

    /** Fields wait for the commit of the response; without the filter that sees it, they are written at once. */
    @Override
    protected FieldSink fields() {
        return answer == null ? response::setHeader : pendingFields;
    }

    @Override
    protected void changed() {
        if (answer != null) {
            answer.changed();
        }
    }

    @Override
    protected void exceeded(List<String> rules) {
        request.setAttribute(EXCEEDED, rules);
    }

    /** The present response of the request, which has to write the {@link #pendingFields}. */
    void answerWith(BeforeCommitResponse present) {
        answer = present;
    }

    /** The response is about to be committed: settles the charges that depend on it, and updates the fields. */
    void settle(ResponseView committing, RuleDecider decider) {
        if (settle(committing) && !response.isCommitted()) {
            try {
                writeReturned(decider::peek).join();
            } catch (RuntimeException failure) {
                logger.warn("The RateLimit fields of a response do not include what was refunded", failure);
            }
        }
    }

    /** The request waits for its verdict from now on. */
    void waitFor(RequestWait begun) {
        wait = begun;
    }

    /** The wait of the request, also when it is over; null if it has none. */
    @Nullable
    RequestWait waiting() {
        return wait;
    }

    /** Whether the request must not come to its handler before its wait is over. */
    boolean isWaiting() {
        RequestWait known = wait;
        return known != null && !known.isTaken();
    }

    /** The request is over: what it holds is free for others. */
    @Override
    public void close() {
        RequestWait known = wait;
        if (known != null) {
            known.end();
        }
        super.close();
    }
}
