package dev.limiter.benchmarks.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import java.util.function.Predicate;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Calls the edge of a running {@link HelloApplication} for {@code GET /hello} without its server: its interceptors
 * and filters, on a request routed by Spring. Not thread-safe.
 */
final class MockedEdge implements AutoCloseable {

    private static final FilterChain NOTHING = (request, response) -> {};

    private final ConfigurableApplicationContext context;
    private final RecycledRequest request = new RecycledRequest("GET", "/hello");
    private final RecycledResponse response = new RecycledResponse();
    private final Object handler;
    private final HandlerInterceptor[] interceptors;

    /** {@code chosen}: the interceptors to call. */
    MockedEdge(Variant variant, boolean rejects, Predicate<HandlerInterceptor> chosen) throws Exception {
        context = HelloApplication.start(variant, rejects);
        ServletRequestPathUtils.parseAndCache(request);
        HandlerExecutionChain chain = route();
        handler = chain.getHandler();
        interceptors = chain.getInterceptorList().stream().filter(chosen).toArray(HandlerInterceptor[]::new);
        request.routed();
    }

    private HandlerExecutionChain route() throws Exception {
        HandlerExecutionChain chain =
                context.getBean(RequestMappingHandlerMapping.class).getHandler(request);
        if (chain == null) {
            throw new IllegalStateException("Nothing is mapped to " + request.getRequestURI());
        }
        return chain;
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Runs the mocks alone, with the least that any limit reads and writes. Returns the length of the response. */
    int floor(String... fields) {
        request.recycle();
        response.recycle();
        request.setAttribute("decided", this);
        for (int i = 0; i < fields.length; i += 2) {
            response.setHeader(fields[i], fields[i + 1]);
        }
        return request.getMethod().length() + request.getRemoteAddr().length() + response.length();
    }

    /** Runs up to the call of the handler. Returns the length of the response, negative if it was rejected. */
    int preHandle() throws Exception {
        request.recycle();
        response.recycle();
        for (HandlerInterceptor interceptor : interceptors) {
            if (!interceptor.preHandle(request, response, handler)) {
                return -response.length();
            }
        }
        return response.length();
    }

    /** Runs {@link #preHandle} and the calls after the handler, so that all permits are released. */
    int intercept() throws Exception {
        int length = preHandle();
        for (int i = interceptors.length - 1; i >= 0 && length >= 0; i--) {
            interceptors[i].afterCompletion(request, response, handler, null);
        }
        return length;
    }

    int filter(Filter filter) throws Exception {
        request.recycle();
        response.recycle();
        filter.doFilter(request, response, NOTHING);
        return response.length();
    }

    @Override
    public void close() {
        context.close();
    }
}
