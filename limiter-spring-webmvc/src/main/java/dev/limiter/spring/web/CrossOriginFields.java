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

/** Allows scripts of other origins to read rejections and the fields of limits, where the application allows them to. */
final class CrossOriginFields extends DefaultCorsProcessor {

    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final String ALLOW_CREDENTIALS = "Access-Control-Allow-Credentials";
    private static final String EXPOSE_HEADERS = "Access-Control-Expose-Headers";

    private final ObjectProvider<CorsConfigurationSource> sources;

    /** {@code sources}: what Spring Security's filter and the mappings of Spring MVC go by. */
    CrossOriginFields(ObjectProvider<CorsConfigurationSource> sources) {
        this.sources = sources;
    }

    /** Writes the fields of the application's configuration to a rejection before Spring MVC, which does so itself. */
    void allow(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean early = request.getAttribute(DispatcherServlet.WEB_APPLICATION_CONTEXT_ATTRIBUTE) == null;
        CorsConfiguration configuration =
                early && CorsUtils.isCorsRequest(request) ? PreflightDetector.configuration(sources, request) : null;
        if (configuration != null) {
            processRequest(configuration, request, response);
        }
    }

    /** The response is a rejection in any case: without the fields, no script can read it. */
    @Override
    protected void rejectRequest(ServerHttpResponse response) {}

    /** Adds to the fields that the application exposes. */
    static void expose(HttpServletResponse response, Collection<String> names) {
        if (response.getHeader(ALLOW_ORIGIN) == null) {
            return;
        }
        String known = String.join(",", response.getHeaders(EXPOSE_HEADERS));
        List<String> exposed = new ArrayList<>(List.of(StringUtils.tokenizeToStringArray(known, ",")));
        // With credentials, a browser takes the asterisk for the name of a field.
        if (exposed.contains("*") && response.getHeader(ALLOW_CREDENTIALS) == null) {
            return;
        }
        names.stream()
                .filter(name -> exposed.stream().noneMatch(name::equalsIgnoreCase))
                .forEach(exposed::add);
        response.setHeader(EXPOSE_HEADERS, String.join(", ", exposed));
    }
}
