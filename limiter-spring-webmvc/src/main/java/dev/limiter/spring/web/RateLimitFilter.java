package dev.limiter.spring.web;

import dev.limiter.spring.decide.RuleDecider;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.WebUtils;

/**
 * Owns the life of a request: creates its state, decides the {@link EarlyRules} when it arrives, puts a {@link
 * BeforeCommitResponse} around the response, and releases the permits that the request holds when it is over. A request
 * is over when the filter chain returns or, if it is asynchronous then, when the container reports its end or has
 * forgotten it.
 */
public final class RateLimitFilter implements Filter {

    private final ServletCurrentRequest requests;
    private final RuleDecider decider;
    private final @Nullable EarlyRules earlyRules;
    private final AsyncRequests asyncRequests = new AsyncRequests();

    /** {@code earlyRules}: null where requests are not limited, but calls of methods are. */
    public RateLimitFilter(ServletCurrentRequest requests, RuleDecider decider, @Nullable EarlyRules earlyRules) {
        this.requests = requests;
        this.decider = decider;
        this.earlyRules = earlyRules;
    }

    /** The dispatches that have to pass through this filter. */
    public static EnumSet<DispatcherType> dispatches() {
        return EnumSet.allOf(DispatcherType.class);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
            return;
        }
        ServletRequestDecisions decisions = requests.begin(http, answer);
        boolean first = !decisions.isOwned();
        switch (http.getDispatcherType()) {
            case INCLUDE -> include(http, answer, chain);
            case ERROR -> answerError(decisions, http, answer, chain);
            case REQUEST, FORWARD, ASYNC -> {
                if (!first) {
                    decisions.dispatchedAgain();
                    goOn(decisions, http, answer, chain);
                } else if (present(answer) == null) {
                    new Dispatch(decisions, http, answer).arrive(chain);
                } else {
                    // it has failed asynchronously, and the container has cleared its attributes since
                    answerError(decisions, http, answer, chain);
                }
            }
        }
    }

    @Override
    public void destroy() {
        asyncRequests.close();
    }

    private static @Nullable BeforeCommitResponse present(HttpServletResponse response) {
        return WebUtils.getNativeResponse(response, BeforeCommitResponse.class);
    }

    private void goOn(
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        BeforeCommitResponse answer = present(response);
        if (request.getDispatcherType() != DispatcherType.FORWARD) {
            new Dispatch(decisions, request, response).follow(chain);
            return;
        }
        chain.doFilter(request, response);
        // the end of a forward is the end of the response; Tomcat 11 commits it past all wrappers
        if (answer != null && !request.isAsyncStarted()) {
            answer.beforeCommit();
        }
    }

    private void answerError(
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        decisions.answerError();
        new Dispatch(decisions, request, response).follow(chain);
    }

    /** An included resource writes to the body of a page, and no more. */
    private static void include(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        BeforeCommitResponse answer = present(response);
        if (answer == null) {
            chain.doFilter(request, response);
            return;
        }
        answer.beginInclude();
        try {
            chain.doFilter(request, response);
        } finally {
            answer.endInclude();
        }
    }

    private final class Dispatch {

        private final ServletRequestDecisions decisions;
        private final HttpServletRequest request;
        private final HttpServletResponse response;
        private final BeforeCommitResponse answer;
        /** Some containers make the error page before the dispatch that failed has returned. */
        private final boolean nested;

        /** Null unless the request is asynchronous when the dispatch returns. */
        private volatile @Nullable AsyncContext underWay;

        Dispatch(ServletRequestDecisions decisions, HttpServletRequest request, HttpServletResponse response) {
            this.decisions = decisions;
            this.nested = !decisions.enter();
            BeforeCommitResponse present = present(response);
            if (present == null) {
                this.answer = new BeforeCommitResponse(
                        request.getServletContext(),
                        response,
                        committing -> decisions.settle(committing, decider),
                        decisions.pendingFields);
                this.request = new BeforeCommitRequest(request, answer);
                this.response = answer;
            } else {
                // an asynchronous request comes back with the response that it left with
                this.answer = present;
                this.request = request;
                this.response = response;
                if (request.getDispatcherType() == DispatcherType.ERROR) {
                    present.begin();
                }
            }
            decisions.answerWith(answer);
        }

        /** The first dispatch that comes by this filter. */
        void arrive(FilterChain chain) throws IOException, ServletException {
            follow((same, wrapped) -> {
                if (earlyRules == null || earlyRules.permit(decisions, request, response)) {
                    chain.doFilter(same, wrapped);
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
                    answer.beforeFailure();
                }
                if (nested) {
                    answer.beforeCommit();
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
                asyncRequests.begin(context, decisions::close); // charges stay: there was no response
                context.addListener(new Completion(this, failed || page));
            } catch (IllegalStateException over) {
                complete();
            }
        }

        /** The container has reported how the asynchronous request ended, or that it goes on. */
        private void reported() {
            if (underWay != null) {
                asyncRequests.over(underWay);
            }
        }

        /** The request is over. */
        private void complete() {
            reported();
            try {
                answer.beforeCommit();
            } finally {
                decisions.close();
            }
        }
    }

    /**
     * The end of an asynchronous request, however it came about. A next round passes through the filter, which listens
     * again.
     *
     * @param failed whether the dispatch that started the asynchronous work has thrown, or was for the page about that:
     *     then Tomcat reports an error, and no completion
     */
    private record Completion(Dispatch dispatch, boolean failed) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            dispatch.complete();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // completes afterwards
        }

        /**
         * Completes afterwards, if the dispatch has not failed, or another listener goes on with the request; but
         * Tomcat may report no more about a client that has reset its connection early, even if a listener has
         * dispatched the request again.
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
