package dev.limiter.spring.webflux;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.cors.reactive.DefaultCorsProcessor;
import org.springframework.web.server.ServerWebExchange;

/** Lets scripts of other origins read rejections and the fields of limits, where the application allows them to. */
final class CrossOriginFields extends DefaultCorsProcessor {

    private final ObjectProvider<CorsConfigurationSource> sources;

    /** {@code sources}: used by Spring Security's filter and by the handler mappings. */
    CrossOriginFields(ObjectProvider<CorsConfigurationSource> sources) {
        this.sources = sources;
    }

    /** Returns whether a request is a genuine preflight for a path with a CORS configuration. */
    boolean isPreflight(ServerWebExchange exchange) {
        ServerHttpRequest request = exchange.getRequest();
        HttpHeaders headers = request.getHeaders();
        return CorsUtils.isPreFlightRequest(request)
                && headers.getFirst(HttpHeaders.AUTHORIZATION) == null
                && headers.getFirst(HttpHeaders.COOKIE) == null
                && headers.getFirst(HttpHeaders.TRANSFER_ENCODING) == null
                && headers.getContentLength() <= 0
                && configuration(exchange) != null;
    }

    /** Writes the CORS fields to a rejection before the handler mappings, which write them otherwise. */
    void allow(ServerWebExchange exchange) {
        boolean early = exchange.getResponse().getHeaders().getFirst(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN) == null;
        CorsConfiguration configuration =
                early && CorsUtils.isCorsRequest(exchange.getRequest()) ? configuration(exchange) : null;
        if (configuration != null) {
            process(configuration, exchange);
        }
    }

    /** The response is a rejection in any case: without the fields, no script can read it. */
    @Override
    protected void rejectRequest(ServerHttpResponse response) {}

    private @Nullable CorsConfiguration configuration(ServerWebExchange exchange) {
        for (CorsConfigurationSource source : sources) {
            CorsConfiguration configuration = source.getCorsConfiguration(exchange);
            if (configuration != null) {
                return configuration;
            }
        }
        return null;
    }

    /** Adds to the fields that the application exposes. */
    static void expose(ServerHttpResponse response, Collection<String> names) {
        HttpHeaders headers = response.getHeaders();
        if (headers.getFirst(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN) == null) {
            return;
        }
        List<String> exposed = new ArrayList<>(headers.getValuesAsList(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS));
        // With credentials, a browser takes the asterisk for the name of a field.
        if (exposed.contains("*") && headers.getFirst(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS) == null) {
            return;
        }
        names.stream()
                .filter(name -> exposed.stream().noneMatch(name::equalsIgnoreCase))
                .forEach(exposed::add);
        headers.set(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", exposed));
    }
}
