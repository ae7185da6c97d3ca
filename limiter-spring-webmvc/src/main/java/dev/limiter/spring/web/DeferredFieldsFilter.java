package dev.limiter.spring.web;

import dev.limiter.spring.web.settle.Container;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.util.WebUtils;

/**
 * Leaves redirections without fields about limits: a client that has nothing left would wait before it follows one. Has
 * to be around all filters but {@link RequestLifecycleFilter}: it has to see the status that the client sees. Thread-safe.
 */
public final class DeferredFieldsFilter implements Filter {

    /** The response of the last dispatch, for that of an error page. */
    private static final String ATTRIBUTE = DeferredFieldsFilter.class.getName();

    /** The dispatches that have to come by here. */
    public static EnumSet<DispatcherType> dispatches() {
        return EnumSet.complementOf(EnumSet.of(DispatcherType.INCLUDE));
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
            return;
        }
        // an asynchronous request comes back with the response that it left with
        DeferredFieldsResponse present = WebUtils.getNativeResponse(response, DeferredFieldsResponse.class);
        if (present != null && http.getDispatcherType() == DispatcherType.FORWARD) {
            chain.doFilter(request, response);
            if (!http.isAsyncStarted()
                    && (response == present
                            || present.isBegun()
                            || Container.endsWithForward(http.getServletContext()))) {
                present.release();
            }
            return;
        }
        DeferredFieldsResponse holding = present != null ? present : new DeferredFieldsResponse(answer);
        try {
            if (present != null) {
                present.dispatchAgain();
                chain.doFilter(request, response);
            } else {
                if (http.getDispatcherType() == DispatcherType.ERROR
                        && http.getAttribute(ATTRIBUTE) instanceof DeferredFieldsResponse failed) {
                    holding.replace(failed);
                }
                http.setAttribute(ATTRIBUTE, holding);
                chain.doFilter(new DeferringRequest(http, holding), holding);
            }
        } finally {
            if (http.isAsyncStarted()) {
                if (!WebAsyncUtils.getAsyncManager(http).isConcurrentHandlingStarted()) {
                    holding.goOn();
                }
            } else if (!holding.decided) {
                holding.release();
            }
        }
    }

    /**
     * Has asynchronous work write to the response that defers fields, rather than to that of the container; but not
     * around a filter of the application, whose response may never be sent then.
     */
    private static final class DeferringRequest extends HttpServletRequestWrapper {

        private final DeferredFieldsResponse deferring;

        DeferringRequest(HttpServletRequest request, DeferredFieldsResponse deferring) {
            super(request);
            this.deferring = deferring;
        }

        @Override
        public AsyncContext startAsync() {
            if (deferring.isOutermost()) {
                return super.startAsync(this, deferring);
            }
            deferring.release();
            return super.startAsync();
        }
    }
}
