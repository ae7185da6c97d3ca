package dev.limiter.spring.web;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * Starts asynchronous work with the {@link BeforeCommitResponse} instead of the container's response. Inside a filter
 * that wraps the response, it does not, because the content of such a wrapper might never be sent.
 */
final class BeforeCommitRequest extends HttpServletRequestWrapper {

    private final BeforeCommitResponse response;

    BeforeCommitRequest(HttpServletRequest request, BeforeCommitResponse response) {
        super(request);
        this.response = response;
    }

    @Override
    public AsyncContext startAsync() {
        response.beforeAsync();
        return response.isOutermost() ? super.startAsync(this, response) : super.startAsync();
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse given) {
        response.beforeAsync();
        return super.startAsync(request, given);
    }
}
