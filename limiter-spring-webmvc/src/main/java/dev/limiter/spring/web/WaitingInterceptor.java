package dev.limiter.spring.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndViewDefiningException;

/**
 * Where a request waits for its turn, after {@link RateLimitInterceptor} has decided on it. Has to be the last
 * interceptor, so that the others see the request when it arrives: some look at nothing but the first dispatch.
 */
public final class WaitingInterceptor implements HandlerInterceptor {

    private final RequestGate gate;

    public WaitingInterceptor(RequestGate gate) {
        this.gate = gate;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException, ModelAndViewDefiningException {
        return request.getDispatcherType() == DispatcherType.ERROR || gate.permitsAfterWaiting(request, response);
    }
}
