package dev.limiter.spring.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndViewDefiningException;

/**
 * Where a request waits for the turn that {@link RateLimitInterceptor} got it. The last interceptor of all: those
 * before it have seen the request when it arrived, also those that look at nothing but the first dispatch.
 */
public final class WaitingInterceptor implements HandlerInterceptor {

    private final RequestGate decider;

    public WaitingInterceptor(RequestGate decider) {
        this.decider = decider;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException, ModelAndViewDefiningException {
        return request.getDispatcherType() == DispatcherType.ERROR || decider.permitsAfterWaiting(request, response);
    }
}
