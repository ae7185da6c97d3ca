package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.function.HandlerFunction;

/**
 * Distinguishes CORS preflights from requests that only look like one. Browsers send preflights without credentials and
 * body, so a request with either may be a login attempt. Thread-safe.
 */
public final class PreflightDetector {

    private final ObjectProvider<CorsConfigurationSource> sources;

    /** {@code sources}: the CORS configuration of Spring Security's filter and Spring MVC's mappings. */
    public PreflightDetector(ObjectProvider<CorsConfigurationSource> sources) {
        this.sources = sources;
    }

    /** Returns whether a request is a preflight for a path with a CORS configuration, before routing. */
    public boolean isExpected(HttpServletRequest request) {
        return isGenuine(request) && configuration(sources, request) != null;
    }

    /**
     * Returns whether Spring itself responds to a routed request as a preflight. Handlers of the application never do,
     * whatever a client sends.
     */
    public static boolean isAnswered(HttpServletRequest request, Object handler) {
        return !(handler instanceof HandlerMethod) && !(handler instanceof HandlerFunction) && isGenuine(request);
    }

    /** Returns whether a browser could send the request as a preflight. */
    private static boolean isGenuine(HttpServletRequest request) {
        return CorsUtils.isPreFlightRequest(request)
                && request.getHeader(HttpHeaders.AUTHORIZATION) == null
                && request.getHeader(HttpHeaders.COOKIE) == null
                && request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null
                && request.getContentLengthLong() <= 0;
    }

    /** Returns the CORS configuration of a request; null if there is none. */
    static @Nullable CorsConfiguration configuration(
            Iterable<CorsConfigurationSource> sources, HttpServletRequest request) {
        for (CorsConfigurationSource source : sources) {
            CorsConfiguration configuration = source.getCorsConfiguration(request);
            if (configuration != null) {
                return configuration;
            }
        }
        return null;
    }
}
