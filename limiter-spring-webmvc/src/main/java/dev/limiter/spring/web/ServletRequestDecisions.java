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

/** The decisions about a servlet request and the state of its dispatches, stored in a request attribute. */
final class ServletRequestDecisions extends RequestDecisions {

    private static final Log logger = LogFactory.getLog(ServletRequestDecisions.class);

    private static final String ATTRIBUTE = ServletRequestDecisions.class.getName();

    /** A {@code List<String>} for handlers: the shadow rules that would have rejected the request. */
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

    /** Creates the state of a request, and stores it in the request. */
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
     * Enters a dispatch; returns false if it is nested. The filter calls it, and must {@link #leave()} each dispatch
     * for which it returned true.
     */
    boolean enter() {
        boolean begins = !inside;
        inside = true;
        owned = true;
        return begins;
    }

    /** Returns whether the request passed through the filter, which reports its end. */
    boolean isOwned() {
        return owned;
    }

    /** Returns whether a dispatch is inside the filter. */
    boolean isInside() {
        return inside;
    }

    void leave() {
        inside = false;
    }

    /**
     * Returns whether an endpoint may be decided: none with rules was, and the request has not failed.
     */
    boolean isEndpointOpen() {
        return endpointOpen;
    }

    /** Records that an endpoint with rules was reached, so that no other one is decided. */
    void endpointDecided() {
        endpointOpen = false;
    }

    /** Records that the request has failed. The error page that follows is not decided, and does not wait. */
    void answerError() {
        endpointOpen = false;
        handlerOpen = false;
        RequestWait known = wait;
        if (known != null) {
            known.end();
            wait = null;
        }
    }

    /** Records another dispatch, to another handler or after a wait. A handler is decided if none was before. */
    void dispatchedAgain() {
        handlerOpen &= !handlerDecided();
        RequestWait known = wait;
        if (known != null) {
            known.comeBack();
        }
    }

    /**
     * Continues with the wrappers of later filters, because only the request behind Spring Security has the user.
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
        Method mapped = handler.getMethod();
        return mapped.equals(method)
                || mapped.getName().equals(method.getName())
                        && mapped.getDeclaringClass().isAssignableFrom(targetClass)
                        && AopUtils.getMostSpecificMethod(mapped, targetClass).equals(method);
    }

    @Override
    public boolean isHandlerOpen() {
        return handlerOpen || isIncluded();
    }

    private boolean isIncluded() {
        return request.getDispatcherType() == DispatcherType.INCLUDE;
    }

    /** Adds a verdict, except the rejection of an include, which its page does not report. */
    @Override
    public void add(Verdict verdict) {
        if (verdict.permitted() || !isIncluded()) {
            super.add(verdict);
        }
    }

    /** Refunds permits, except for a rejected include: its page is served and stays charged. */
    @Override
    public void giveBack() {
        if (!isIncluded()) {
            super.giveBack();
        }
    }

    /** Returns the fields that are pending until the commit; without the filter, fields are written at once. */
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

    /** Sets the current response, which writes the {@link #pendingFields}. */
    void answerWith(BeforeCommitResponse present) {
        answer = present;
    }

    /** Settles charges before the response is committed, and updates the fields. */
    void settle(ResponseView committing, RuleDecider decider) {
        if (settle(committing) && !response.isCommitted()) {
            try {
                writeReturned(decider::peek).join();
            } catch (RuntimeException failure) {
                logger.warn(
                        "Updating RateLimit fields after a refund failed; the response has the earlier values",
                        failure);
            }
        }
    }

    /** Returns the response, as the last interceptor saw it. */
    HttpServletResponse response() {
        return response;
    }

    /** Sets the wait of the request. */
    void waitFor(RequestWait begun) {
        wait = begun;
    }

    /** Returns the wait of the request, even if it is over; null if it has none. */
    @Nullable
    RequestWait waiting() {
        return wait;
    }

    /** Returns whether the request must wait before its handler runs. */
    boolean isWaiting() {
        RequestWait known = wait;
        return known != null && !known.isTaken();
    }

    /** Releases the permits that the request holds, at its end. */
    @Override
    public void close() {
        RequestWait known = wait;
        if (known != null) {
            known.end();
        }
        super.close();
    }
}
