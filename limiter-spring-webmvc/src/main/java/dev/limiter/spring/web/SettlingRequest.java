package dev.limiter.spring.web;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * Starts asynchronous work with the response that holds the beginning of a body: written to the container's own, the
 * rest would come before it.
 */
final class SettlingRequest extends HttpServletRequestWrapper {

    private final HttpServletRequest original;
    private final SettlingResponse response;

    SettlingRequest(HttpServletRequest original, SettlingResponse response) {
        super(original);
        this.original = original;
        this.response = response;
    }

    @Override
    public AsyncContext startAsync() {
        return super.startAsync(original, response);
    }
}
