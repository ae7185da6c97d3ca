package dev.limiter.spring.web;

import dev.limiter.spring.context.ResponseView;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * A response that is about to be committed.
 *
 * @param status which the response itself may not have yet
 * @param location the target of a redirect that the container is about to write; null if the response has it, if any
 */
record ServletResponseView(
        HttpServletResponse response, int status, @Nullable String location) implements ResponseView {

    @Override
    public @Nullable String getHeader(String name) {
        return location != null && "Location".equalsIgnoreCase(name) ? location : response.getHeader(name);
    }
}
