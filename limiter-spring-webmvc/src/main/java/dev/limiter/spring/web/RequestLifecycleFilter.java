package dev.limiter.spring.web;

import dev.limiter.spring.decide.RequestLedger;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.web.settle.AnswerView;
import dev.limiter.spring.web.settle.AsyncRequests;
import dev.limiter.spring.web.settle.Container;
import dev.limiter.spring.web.settle.HeldResponse;
import dev.limiter.spring.web.settle.SettlingRequest;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.util.WebUtils;

/**
 * Owns the life of a request, around all other filters: creates its state, settles what rules with {@code charge-if}
 * took right before the answer is sent, and releases the permits that the request holds when it is over. A request is
 * over when the chain of filters returns or, if the request is asynchronous then, when the container says so or has
 * forgotten it.
 */
public final class RequestLifecycleFilter implements Filter {

    private static final String ERROR_PAGES = RequestLifecycleFilter.class.getName() + ".errorPages";

    private final ServletCurrentRequest requests;
    private final BooleanSupplier settles;
    private final RuleDecider decider;
    private final AsyncRequests asyncRequests = new AsyncRequests();

    /** {@code settles}: whether any rule has {@code charge-if} at the moment. */
    public RequestLifecycleFilter(ServletCurrentRequest requests, BooleanSupplier settles, RuleDecider decider) {
        this.requests = requests;
        this.settles = settles;
        this.decider = decider;
    }

    /** The dispatches that have to come by here. */
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
        DispatcherType type = http.getDispatcherType();
        switch (type) {
            case FORWARD -> forward(http, answer, chain);
            case INCLUDE -> include(http, answer, chain);
            case REQUEST, ASYNC, ERROR -> {
                boolean over = type == DispatcherType.ASYNC && isOver(http, answer);
                ServletRequestDecisions decisions = requests.begin(http, answer);
                if (over || type == DispatcherType.ERROR) {
                    decisions.answerError();
                } else if (type == DispatcherType.ASYNC) {
                    decisions.dispatchedAgain();
                }
                new Dispatch(decisions, http, answer).follow(chain);
            }
        }
    }

    @Override
    public void destroy() {
        asyncRequests.close();
    }

    /** Whether an asynchronous request has come by, has failed, and the container has forgotten all about it since. */
    private static boolean isOver(HttpServletRequest request, HttpServletResponse response) {
        return ServletRequestDecisions.of(request) == null
                && WebUtils.getNativeResponse(response, HeldResponse.class) != null;
    }

    /**
     * Follows a forward: a part of a dispatch that answers alone, unless it fails and leaves the answer to the rest.
     */
    private static void forward(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        if (decisions != null) {
            decisions.dispatchedAgain();
        }
        HeldResponse settling = WebUtils.getNativeResponse(response, HeldResponse.class);
        if (settling != null) {
            settling.answer().beginForward();
        }
        chain.doFilter(request, response);
        if (settling != null && !request.isAsyncStarted()) {
            boolean direct = response instanceof DeferredFieldsResponse own && own.getResponse() == settling;
            settling.answer().endForward(direct || Container.endsWithForward(request.getServletContext()));
        }
    }

    /** A part of a dispatch that writes to the body, and no more. */
    private void include(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        ServletRequestDecisions decisions = requests.begin(request, response);
        RequestLedger ledger = decisions.ledger;
        HeldResponse settling = WebUtils.getNativeResponse(response, HeldResponse.class);
        ServletRequestDecisions.Seen outside = decisions.seen();
        int outer = ledger.beginInclude();
        if (settling != null) {
            settling.answer().beginInclude();
        }
        try {
            chain.doFilter(request, response);
        } finally {
            if (settling != null) {
                settling.answer().endInclude();
            }
            ledger.endInclude(outer);
            decisions.continueWith(outside);
        }
    }

    /**
     * Says that the container makes an error page of each failure, whatever its status. A test without a
     * server makes none.
     */
    public static void expectErrorPages(ServletContext container) {
        container.setAttribute(ERROR_PAGES, true);
    }

    private final class Dispatch {

        private final ServletRequestDecisions decisions;
        private final HttpServletRequest request;
        private final HttpServletResponse response;
        private final @Nullable HeldResponse settling;
        /** Some containers make the error page before the dispatch that failed has returned. */
        private final boolean nested;

        /** Null unless the request is asynchronous when the dispatch returns. */
        private volatile @Nullable AsyncContext underWay;

        Dispatch(ServletRequestDecisions decisions, HttpServletRequest request, HttpServletResponse response) {
            this.decisions = decisions;
            this.request = request;
            this.response = response;
            this.nested = !decisions.enter();
            this.settling = settling();
        }

        /** An asynchronous request comes back with the response that it left with, or with that of the container. */
        private @Nullable HeldResponse settling() {
            HeldResponse known = WebUtils.getNativeResponse(response, HeldResponse.class);
            if (known == null && request.getDispatcherType() == DispatcherType.ASYNC) {
                known = decisions.settling();
            }
            if (known == null && settles.getAsBoolean()) {
                known = new HeldResponse(
                        request,
                        response,
                        decisions.ledger::awaitsAnswer,
                        answer -> decisions.answered(answer, decider));
                decisions.settling(known);
            }
            return known;
        }

        void follow(FilterChain chain) throws IOException, ServletException {
            boolean failed = true;
            try {
                if (settling == null) {
                    chain.doFilter(request, response);
                } else {
                    settling.answer().begin(request.getDispatcherType(), errorPageFollows());
                    chain.doFilter(request(settling), response(settling));
                }
                failed = false;
            } finally {
                if (nested) {
                    settle(failed);
                } else {
                    leave(failed);
                }
            }
        }

        private HttpServletRequest request(HeldResponse settling) {
            return WebUtils.getNativeRequest(request, SettlingRequest.class) == null
                    ? new SettlingRequest(request, settling)
                    : request;
        }

        private HttpServletResponse response(HeldResponse settling) {
            return WebUtils.getNativeResponse(response, HeldResponse.class) == null ? settling : response;
        }

        /** Whether an error page follows: none follows the failure of an error page. */
        private boolean errorPageFollows() {
            return request.getDispatcherType() != DispatcherType.ERROR
                    && request.getServletContext().getAttribute(ERROR_PAGES) != null;
        }

        private void leave(boolean failed) throws IOException {
            decisions.leave();
            if (!request.isAsyncStarted()) {
                try {
                    settle(failed);
                } finally {
                    decisions.close();
                }
                return;
            }
            if (settling != null && failed) {
                settling.answer().end(true);
            } else if (settling != null) {
                settling.answer().goOn(WebAsyncUtils.getAsyncManager(request).isConcurrentHandlingStarted());
            }
            try {
                boolean page = request.getDispatcherType() == DispatcherType.ERROR;
                AsyncContext context = request.getAsyncContext();
                underWay = context;
                asyncRequests.begin(context, decisions::close); // charges stay: there was no answer
                context.addListener(new Completion(this, failed || page));
            } catch (IllegalStateException over) {
                complete();
            }
        }

        private void settle(boolean failed) throws IOException {
            if (settling != null) {
                settling.answer().end(failed);
            } else if (decisions.ledger.awaitsAnswer()) {
                answered(failed ? HttpServletResponse.SC_INTERNAL_SERVER_ERROR : response.getStatus());
            }
        }

        private void answered(int status) {
            decisions.answered(new AnswerView(response, status), decider);
        }

        /** The container has told what became of the asynchronous request, or that it goes on. */
        private void told() {
            if (underWay != null) {
                asyncRequests.over(underWay);
            }
        }

        /** An asynchronous request is over, and nothing can be written any more. */
        private void complete() {
            told();
            if (settling != null) {
                settling.answer().over();
            } else if (decisions.ledger.awaitsAnswer()) {
                answered(response.getStatus());
            }
            decisions.close();
        }

        /**
         * An asynchronous request has failed, and there may be no other word of its end. A page about that may follow.
         */
        private void fail() {
            if (settling == null || !settling.answer().isAwaitingErrorPage()) {
                complete();
            } else {
                decisions.close();
            }
        }
    }

    /**
     * The end of an asynchronous request, however it came about. A next round comes by the filter, which listens anew.
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
         * Tomcat may say no more of a client that has reset its connection early, also where a listener has dispatched
         * the request again.
         */
        @Override
        public void onError(AsyncEvent event) {
            dispatch.told();
            if (!failed) {
                dispatch.decisions.close();
            } else if (isOver(event.getAsyncContext())) {
                dispatch.fail();
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
            dispatch.told(); // the chain of filters has not returned yet
        }
    }
}
