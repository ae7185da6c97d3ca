package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;

/**
 * Describes the format in the response to a POST to {@code /actuator/limiter} without flat JSON.
 * Actuator cannot parse such a body, and never calls the endpoint. Thread-safe.
 */
public final class UnreadableChangeResolver implements HandlerExceptionResolver, Ordered {

    private static final String BODY = "{\"error\":\"The body must be one flat JSON object with texts, numbers, true or"
            + " false, such as {\\\"limit\\\": 200, \\\"reason\\\": \\\"ticket 7\\\"}. [LIM-501]\"}";

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception exception) {
        if (!(exception instanceof HttpMessageNotReadableException) || !isEndpoint(request, handler)) {
            return null;
        }
        response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
        response.setContentType(MediaType.APPLICATION_JSON_VALUE);
        try {
            response.getOutputStream().write(BODY.getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return new ModelAndView();
    }

    /** Returns whether the request is for this endpoint of Actuator, by handler and pattern. */
    private static boolean isEndpoint(HttpServletRequest request, @Nullable Object handler) {
        Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        return handler instanceof HandlerMethod method
                && method.getBeanType().getName().contains("WebMvcEndpointHandlerMapping")
                && pattern != null
                && pattern.toString().matches(".*/limiter(/\\{\\w+})?");
    }
}
