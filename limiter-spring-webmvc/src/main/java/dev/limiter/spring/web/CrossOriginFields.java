package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.util.StringUtils;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Allows scripts of other origins to read rejections and RateLimit fields, if the application's CORS configuration
 * allows the origin.
 */
final class CrossOriginFields extends DefaultCorsProcessor {

    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final String ALLOW_CREDENTIALS = "Access-Control-Allow-Credentials";
    private static final String EXPOSE_HEADERS = "Access-Control-Expose-Headers";

    private final ObjectProvider<CorsConfigurationSource> sources;

    /** {@code sources}: the CORS configuration of Spring Security's filter and Spring MVC's mappings. */
    CrossOriginFields(ObjectProvider<CorsConfigurationSource> sources) {
        this.sources = sources;
    }

    /** Adds the application's CORS fields to a rejection before Spring MVC; later, Spring MVC adds them itself. */
    void allow(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean early = request.getAttribute(DispatcherServlet.WEB_APPLICATION_CONTEXT_ATTRIBUTE) == null;
        CorsConfiguration configuration =
                early && CorsUtils.isCorsRequest(request) ? PreflightDetector.configuration(sources, request) : null;
        if (configuration != null) {
            processRequest(configuration, request, response);
        }
    }

    /** Does nothing, because the response is already a rejection. */
    @Override
    protected void rejectRequest(ServerHttpResponse response) {}

    /** Adds names to the exposed fields. */
    static void expose(HttpServletResponse response, Collection<String> names) {
        if (response.getHeader(ALLOW_ORIGIN) == null) {
            return;
        }
        String known = String.join(",", response.getHeaders(EXPOSE_HEADERS));
        List<String> exposed = new ArrayList<>(List.of(StringUtils.tokenizeToStringArray(known, ",")));
        // With credentials, browsers read the asterisk as a field name.
        if (exposed.contains("*") && response.getHeader(ALLOW_CREDENTIALS) == null) {
            return;
        }
        names.stream()
                .filter(name -> exposed.stream().noneMatch(name::equalsIgnoreCase))
                .forEach(exposed::add);
        response.setHeader(EXPOSE_HEADERS, String.join(", ", exposed));
    }
}
