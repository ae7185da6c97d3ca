package dev.limiter.spring.web;

import dev.limiter.spring.context.ResponseView;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * A response before it is committed.
 *
 * @param status the final status, which may not be set on the response yet
 * @param location the redirect target that the container will write; null if there is none, or if the response has it
 */
record ServletResponseView(
        HttpServletResponse response, int status, @Nullable String location) implements ResponseView {

    @Override
    public @Nullable String getHeader(String name) {
        return location != null && "Location".equalsIgnoreCase(name) ? location : response.getHeader(name);
    }
}
