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
        DispatcherType type = http.getDispatcherType();
        ServletRequestDecisions decisions = requests.begin(http, answer);
        BeforeCommitResponse present = WebUtils.getNativeResponse(answer, BeforeCommitResponse.class);
        boolean first = !decisions.isOwned();
        if (type == DispatcherType.INCLUDE) {
            include(present, request, response, chain);
        } else if (type == DispatcherType.FORWARD && decisions.isInside()) {
            decisions.dispatchedAgain();
            forward(present, request, response, chain);
        } else {
            Dispatch dispatch = new Dispatch(decisions, http, answer, present, decider, asyncRequests);
            // a filter outside forwards to an error page once the request has passed, and containers clear the
            // attributes of a request that has failed asynchronously
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

    /** The end of a forward is the end of the response; Tomcat 11 commits it past all wrappers. */
    private static void forward(
            @Nullable BeforeCommitResponse present, ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        chain.doFilter(request, response);
        if (present != null && !request.isAsyncStarted()) {
            present.beforeCommit();
        }
    }

    /** An included resource writes to the body of a page, and no more. */
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
