package dev.limiter.spring.web;

import dev.limiter.spring.decide.RuleDecider;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.util.WebUtils;

/**
 * Settles what rules with {@code charge-if} took, right before the answer is sent: whoever has got the first byte can
 * count on what was given back. Has to be around all other filters, so that it sees the answer that the client sees. Does
 * nothing where no rule has {@code charge-if}.
 */
public final class SettlingFilter implements Filter {

    private final BooleanSupplier needed;
    private final RuleDecider decider;

    /** {@code needed}: whether any rule has {@code charge-if} at the moment. */
    public SettlingFilter(BooleanSupplier needed, RuleDecider decider) {
        this.needed = needed;
        this.decider = decider;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (needed.getAsBoolean()
                && request instanceof HttpServletRequest httpRequest
                && response instanceof HttpServletResponse httpResponse) {
            settling(httpRequest, httpResponse, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void settling(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        // an asynchronous request comes back with the response that it left with
        SettlingResponse present = WebUtils.getNativeResponse(response, SettlingResponse.class);
        SettlingResponse settling =
                present != null ? present : new SettlingResponse(response, status -> settle(request, response, status));
        settling.expectBuffer();
        try {
            chain.doFilter(request, present != null ? response : settling);
        } catch (Throwable unhandled) {
            end(request, response, settling, HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            throw unhandled;
        }
        if (request.isAsyncStarted()) {
            goOn(request, response, settling);
        } else {
            end(request, response, settling, response.getStatus());
        }
    }

    /** What was taken since the answer is under way is not forgotten, only settled late. */
    private void end(HttpServletRequest request, HttpServletResponse response, SettlingResponse settling, int status) {
        if (settling.isSending()) {
            settle(request, response, status);
        } else {
            settling.send(status);
        }
    }

    private void goOn(HttpServletRequest request, HttpServletResponse response, SettlingResponse settling) {
        if (!WebAsyncUtils.getAsyncManager(request).isConcurrentHandlingStarted()) {
            // not by Spring MVC, so there may be no other dispatch that comes by here before the answer is sent
            settling.expectNoBuffer();
        }
        try {
            request.getAsyncContext()
                    .addListener(new Completion(() -> settle(request, response, response.getStatus())));
        } catch (IllegalStateException completed) {
            settle(request, response, response.getStatus());
        }
    }

    private void settle(HttpServletRequest request, HttpServletResponse response, int status) {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        if (decisions != null) {
            decisions.answered(new AnswerView(response, status), decider);
        }
    }

    /** However an asynchronous request ends, nothing is left open. */
    private record Completion(Runnable settle) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            settle.run();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // completes afterwards
        }

        @Override
        public void onError(AsyncEvent event) {
            // completes afterwards
        }

        /** Another round began, which has listeners of its own. */
        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
