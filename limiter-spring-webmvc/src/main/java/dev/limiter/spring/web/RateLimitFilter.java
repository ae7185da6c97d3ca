package dev.limiter.spring.web;

import dev.limiter.spring.decide.RuleDecider;
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
 * Manages the lifecycle of requests: creates their state, decides {@link EarlyRules}, wraps the response in a
 * {@link BeforeCommitResponse}, and releases held permits at the end. A request ends when the filter chain returns. An
 * asynchronous request ends when the container reports its end, or has dropped it.
 */
public final class RateLimitFilter implements Filter {

    private final ServletCurrentRequest requests;
    private final RuleDecider decider;
    private final @Nullable EarlyRules earlyRules;
    private final AsyncRequests asyncRequests = new AsyncRequests();

    /** {@code earlyRules}: null if only method calls are limited. */
    public RateLimitFilter(ServletCurrentRequest requests, RuleDecider decider, @Nullable EarlyRules earlyRules) {
        this.requests = requests;
        this.decider = decider;
        this.earlyRules = earlyRules;
    }

    /** Returns the dispatcher types of this filter. */
    public static EnumSet<DispatcherType> dispatches() {
        return EnumSet.allOf(DispatcherType.class);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse original)) {
            chain.doFilter(request, response);
            return;
        }
        DispatcherType type = http.getDispatcherType();
        ServletRequestDecisions decisions = requests.begin(http, original);
        BeforeCommitResponse present = WebUtils.getNativeResponse(original, BeforeCommitResponse.class);
        boolean first = !decisions.isOwned();
        if (type == DispatcherType.INCLUDE) {
            include(present, request, response, chain);
        } else if (type == DispatcherType.FORWARD && decisions.isInside()) {
            decisions.dispatchedAgain();
            forward(present, request, response, chain);
        } else {
            Dispatch dispatch = new Dispatch(decisions, http, original, present, decider, asyncRequests);
            // An outer filter may forward to an error page afterwards, and containers clear the attributes of a
            // request that has failed asynchronously.
            boolean failed = first ? present != null : type == DispatcherType.FORWARD;
            if (type == DispatcherType.ERROR || failed) {
                decisions.answerError();
                dispatch.follow(chain);
            } else if (first) {
                dispatch.arrive(earlyRules, chain);
            } else {
                decisions.dispatchedAgain();
                dispatch.follow(chain);
            }
        }
    }

    @Override
    public void destroy() {
        asyncRequests.close();
    }

    /** Handles a forward. Its end is the end of the response, which Tomcat 11 commits bypassing all wrappers. */
    private static void forward(
            @Nullable BeforeCommitResponse present, ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        chain.doFilter(request, response);
        if (present != null && !request.isAsyncStarted()) {
            present.beforeCommit();
        }
    }

    /** Handles an include, which writes only to the body of a page. */
    private static void include(
            @Nullable BeforeCommitResponse present, ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (present == null) {
            chain.doFilter(request, response);
            return;
        }
        present.beginInclude();
        try {
            chain.doFilter(request, response);
        } finally {
            present.endInclude();
        }
    }
}
