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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.util.WebUtils;

/**
 * Owns the life of a request, around all other filters: creates its state, settles what rules with {@code charge-if} took
 * right before the answer is sent, and releases the permits that the request holds when it is over. A request is over
 * when the chain of filters returns or, if the request is asynchronous then, when the container says so.
 */
public final class RequestLifecycleFilter implements Filter {

    private final ServletCurrentRequest requests;
    private final BooleanSupplier settles;
    private final RuleDecider decider;

    /** {@code settles}: whether any rule has {@code charge-if} at the moment. */
    public RequestLifecycleFilter(ServletCurrentRequest requests, BooleanSupplier settles, RuleDecider decider) {
        this.requests = requests;
        this.settles = settles;
        this.decider = decider;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
            return;
        }
        ServletRequestDecisions decisions = requests.begin(http, answer);
        if (http.getDispatcherType() == DispatcherType.ERROR) {
            decisions.answerError();
        }
        if (decisions.enter()) {
            follow(decisions, http, answer, chain);
        } else {
            // Some containers make the error page before the dispatch that failed has returned.
            chain.doFilter(request, response);
        }
    }

    private void follow(
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        // An asynchronous request comes back with the response that it left with.
        SettlingResponse present = WebUtils.getNativeResponse(response, SettlingResponse.class);
        SettlingResponse settling = present != null ? present : settling(decisions, response);
        if (settling != null) {
            settling.expectBuffer();
        }
        int status = HttpServletResponse.SC_INTERNAL_SERVER_ERROR;
        boolean failed = true;
        try {
            chain.doFilter(request, present != null || settling == null ? response : settling);
            status = response.getStatus();
            failed = false;
        } finally {
            decisions.leave();
            if (request.isAsyncStarted()) {
                goOn(decisions, request, response, settling, failed);
            } else {
                end(decisions, response, settling, status);
            }
        }
    }

    private @Nullable SettlingResponse settling(ServletRequestDecisions decisions, HttpServletResponse response) {
        return settles.getAsBoolean()
                ? new SettlingResponse(
                        response, status -> decisions.answered(new AnswerView(response, status), decider))
                : null;
    }

    private void goOn(
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable SettlingResponse settling,
            boolean failed) {
        if (settling != null && !WebAsyncUtils.getAsyncManager(request).isConcurrentHandlingStarted()) {
            // not by Spring MVC, so there may be no other dispatch that comes by here before the answer is sent
            settling.expectNoBuffer();
        }
        Completion completion = new Completion(() -> end(decisions, response, settling, response.getStatus()), failed);
        try {
            request.getAsyncContext().addListener(completion);
        } catch (IllegalStateException over) {
            end(decisions, response, settling, response.getStatus());
        }
    }

    /** What was taken since the answer is under way is not forgotten, only settled late. */
    private void end(
            ServletRequestDecisions decisions,
            HttpServletResponse response,
            @Nullable SettlingResponse settling,
            int status) {
        if (settling != null && !settling.isSending()) {
            settling.send(status);
        } else {
            decisions.answered(new AnswerView(response, status), decider);
        }
        decisions.close();
    }

    /**
     * The end of an asynchronous request, however it came about. A next round comes by the filter, which listens anew.
     *
     * @param failed whether the dispatch that started the asynchronous work has thrown: then Tomcat reports an error, and no
     *     completion
     */
    private record Completion(Runnable end, boolean failed) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            end.run();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // completes afterwards
        }

        /** Completes afterwards, if the dispatch has not failed, or another listener goes on with the request. */
        @Override
        public void onError(AsyncEvent event) {
            if (failed && isOver(event.getAsyncContext())) {
                end.run();
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
            // the chain of filters has not returned yet
        }
    }
}
