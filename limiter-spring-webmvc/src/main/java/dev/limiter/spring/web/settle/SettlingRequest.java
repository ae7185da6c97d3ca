package dev.limiter.spring.web.settle;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Starts asynchronous work with the response that holds the beginning of a body: written to the container's own, the
 * rest would come before it. The end of that work ends the answer. Around a filter of the application, the container's
 * own is the one, since the response of that filter may never be sent then.
 */
public final class SettlingRequest extends HttpServletRequestWrapper {

    private final HeldResponse response;

    public SettlingRequest(HttpServletRequest original, HeldResponse response) {
        super(original);
        this.response = response;
    }

    @Override
    public AsyncContext startAsync() {
        if (!(response.target() instanceof ServletResponseWrapper)) {
            return started(super.startAsync(this, response));
        }
        try {
            response.answer().expectNoBuffer();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return started(super.startAsync());
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
