package dev.limiter.spring.web;

import dev.limiter.spring.decide.RuleDecider;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One dispatch of a request through the filter. Wraps the response in a {@link BeforeCommitResponse}, and settles and
 * closes the {@link ServletRequestDecisions} at the end of the request.
 */
final class Dispatch {

    private final ServletRequestDecisions decisions;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final BeforeCommitResponse wrapped;
    private final AsyncRequests asyncRequests;
    /** True for error pages that a container renders before the failed dispatch has returned. */
    private final boolean nested;

    /** Set if the request is asynchronous when the dispatch returns. */
    private volatile @Nullable AsyncContext underWay;

    /** {@code present}: the existing wrapper; null if the response is not wrapped yet. */
    Dispatch(
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable BeforeCommitResponse present,
            RuleDecider decider,
            AsyncRequests asyncRequests) {
        this.decisions = decisions;
        this.asyncRequests = asyncRequests;
        this.nested = !decisions.enter();
        if (present == null) {
            this.wrapped = new BeforeCommitResponse(
                    request.getServletContext(),
                    response,
                    committing -> decisions.settle(committing, decider),
                    decisions.pendingFields);
            this.request = new BeforeCommitRequest(request, wrapped);
            this.response = wrapped;
        } else {
            // an asynchronous request is dispatched again with the wrapped response
            this.wrapped = present;
            this.request = request;
            this.response = response;
            if (request.getDispatcherType() == DispatcherType.ERROR) {
                present.begin();
            }
        }
        decisions.answerWith(wrapped);
    }

    /** Handles the first dispatch, and decides early rules; {@code earlyRules}: null if there are none. */
    void arrive(@Nullable EarlyRules earlyRules, FilterChain chain) throws IOException, ServletException {
        follow((same, other) -> {
            if (earlyRules == null || earlyRules.permit(decisions, request, response)) {
                chain.doFilter(same, other);
            }
        });
    }

    void follow(FilterChain chain) throws IOException, ServletException {
        boolean failed = true;
        try {
            chain.doFilter(request, response);
            failed = false;
        } finally {
            if (failed) {
                wrapped.beforeFailure();
            }
            if (nested) {
                wrapped.beforeCommit();
            } else {
                leave(failed);
            }
        }
    }

    private void leave(boolean failed) {
        decisions.leave();
        if (!request.isAsyncStarted()) {
            complete();
            return;
        }
        try {
            boolean page = request.getDispatcherType() == DispatcherType.ERROR;
            AsyncContext context = request.getAsyncContext();
            underWay = context;
            asyncRequests.begin(context, decisions::close); // stays charged, because there was no response
            context.addListener(new Completion(this, failed || page));
        } catch (IllegalStateException over) {
            complete();
        }
    }

    /** Called when the container has reported the end or the continuation of the asynchronous request. */
    private void reported() {
        if (underWay != null) {
            asyncRequests.over(underWay);
        }
    }

    /** Ends the request. */
    private void complete() {
        reported();
        try {
            wrapped.beforeCommit();
        } finally {
            decisions.close();
        }
    }

    /**
     * Listens for the end of an asynchronous request. Another dispatch passes through the filter, which registers
     * another listener.
     *
     * @param failed true if the dispatch that started the asynchronous work has thrown, or rendered an error page; then
     *     Tomcat reports an error, but no completion
     */
    private record Completion(Dispatch dispatch, boolean failed) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            dispatch.complete();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // onComplete follows
        }

        /**
         * Usually, onComplete follows. Tomcat may not report it for a client that has reset its connection early, even
         * if a listener has dispatched the request again.
         */
        @Override
        public void onError(AsyncEvent event) {
            dispatch.reported();
            if (!failed) {
                dispatch.decisions.close();
            } else if (isOver(event.getAsyncContext())) {
                dispatch.complete();
            }
        }

        private static boolean isOver(AsyncContext context) {
            try {
                return context.getResponse() != null;
            } catch (IllegalStateException completedOrDispatched) {
                return false;
            }
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            dispatch.reported(); // the filter chain has not returned yet
        }
    }
}
