package dev.limiter.spring.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndViewDefiningException;

/**
 * Suspends requests that must wait, after {@link RateLimitInterceptor} has decided them. It must be the last
 * interceptor, because some interceptors handle only the first dispatch.
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
