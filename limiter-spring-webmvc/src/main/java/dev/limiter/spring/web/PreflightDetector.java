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
 * Tells preflights of CORS from requests that only look like one. Browsers send preflights without credentials and
 * without a body, so a request with either may be an attempt to log in. Thread-safe.
 */
public final class PreflightDetector {

    private final ObjectProvider<CorsConfigurationSource> sources;

    /** {@code sources}: what Spring Security's filter and the mappings of Spring MVC go by. */
    public PreflightDetector(ObjectProvider<CorsConfigurationSource> sources) {
        this.sources = sources;
    }

    /** Whether a request that is not routed yet is a preflight, for a path with a configuration of CORS. */
    public boolean isExpected(HttpServletRequest request) {
        return isGenuine(request) && configuration(sources, request) != null;
    }

    /**
     * Whether Spring answers a routed request itself, as a preflight. A handler of the application never runs as one,
     * against the claim of a client.
     */
    public static boolean isAnswered(HttpServletRequest request, Object handler) {
        return !(handler instanceof HandlerMethod) && !(handler instanceof HandlerFunction) && isGenuine(request);
    }

    /** Whether a request could be sent by a browser as a preflight. */
    private static boolean isGenuine(HttpServletRequest request) {
        return CorsUtils.isPreFlightRequest(request)
                && request.getHeader(HttpHeaders.AUTHORIZATION) == null
                && request.getHeader(HttpHeaders.COOKIE) == null
                && request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null
                && request.getContentLengthLong() <= 0;
    }

    /** The cross-origin configuration of a path; null if there is none. */
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
