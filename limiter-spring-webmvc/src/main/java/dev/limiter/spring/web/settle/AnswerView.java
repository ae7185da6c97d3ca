package dev.limiter.spring.web.settle;

import dev.limiter.spring.context.ResponseView;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * An answer whose status is known before the response itself says so.
 *
 * @param location where a redirection leads that the container is about to write; null if the response itself has the
 *     field, if any
 */
public record AnswerView(
        HttpServletResponse response, int status, @Nullable String location) implements ResponseView {

    public AnswerView(HttpServletResponse response, int status) {
        this(response, status, null);
    }

    @Override
    public @Nullable String getHeader(String name) {
        return location != null && "Location".equalsIgnoreCase(name) ? location : response.getHeader(name);
    }
}
