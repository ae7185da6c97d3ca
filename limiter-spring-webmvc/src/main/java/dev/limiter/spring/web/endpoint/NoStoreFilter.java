package dev.limiter.spring.web.endpoint;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps all answers of the endpoint out of caches: also what Actuator answers itself, such as 405, and what a security
 * filter does. Thread-safe.
 */
public final class NoStoreFilter implements Filter {

    private final Supplier<@Nullable String> endpoint;

    /** {@code endpoint}: its path, such as {@code /actuator/limiter}; null while there is none. Asked per request. */
    public NoStoreFilter(Supplier<@Nullable String> endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest http
                && response instanceof HttpServletResponse answer
                && isAbout(http, endpoint.get())) {
            answer.setHeader("Cache-Control", "no-store");
        }
        chain.doFilter(request, response);
    }

    /** Wherever the servlet is mapped that serves the endpoint. */
    private static boolean isAbout(HttpServletRequest request, @Nullable String path) {
        return path != null && request.getRequestURI().contains(path);
    }
}
