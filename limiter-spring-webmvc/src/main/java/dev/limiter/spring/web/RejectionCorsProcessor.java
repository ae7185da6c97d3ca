package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Allows the page that sent a request to read its rejection, as the application would have allowed it to read the
 * answer. In Spring MVC that has happened by then; a request that is rejected earlier never gets there.
 */
final class RejectionCorsProcessor {

    private final ObjectProvider<CorsConfigurationSource> sources;
    private final Processor processor = new Processor();

    /** {@code sources}: what Spring Security's filter and the mappings of Spring MVC go by. */
    RejectionCorsProcessor(ObjectProvider<CorsConfigurationSource> sources) {
        this.sources = sources;
    }

    void allow(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean early = request.getAttribute(DispatcherServlet.WEB_APPLICATION_CONTEXT_ATTRIBUTE) == null;
        if (early && CorsUtils.isCorsRequest(request)) {
            CorsConfiguration configuration = PreflightDetector.configuration(sources, request);
            if (configuration != null) {
                processor.processRequest(configuration, request, response);
            }
        }
    }

    /** Writes the fields of the application's CORS configuration; the answer is a rejection in any case. */
    private static final class Processor extends DefaultCorsProcessor {

        @Override
        protected void rejectRequest(ServerHttpResponse response) {
            // without the fields of CORS, no other page can read it
        }
    }
}
