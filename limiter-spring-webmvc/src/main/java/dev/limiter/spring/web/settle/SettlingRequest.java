package dev.limiter.spring.web.settle;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Starts asynchronous work with the response that holds the beginning of a body: written to the container's own, the
 * rest would come before it. The end of that work ends the answer.
 */
public final class SettlingRequest extends HttpServletRequestWrapper {

    private final HeldResponse response;

    public SettlingRequest(HttpServletRequest original, HeldResponse response) {
        super(original);
        this.response = response;
    }

    @Override
    public AsyncContext startAsync() {
        return started(super.startAsync(this, response));
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse given) {
        return started(super.startAsync(request, given));
    }

    private AsyncContext started(AsyncContext context) {
        response.answer().expectCompletion();
        return new SettlingAsyncContext(context, response);
    }

    /** Null where a mock has none; containers throw then. */
    @Override
    public @Nullable AsyncContext getAsyncContext() {
        AsyncContext context = super.getAsyncContext();
        return context == null ? null : new SettlingAsyncContext(context, response);
    }
}
