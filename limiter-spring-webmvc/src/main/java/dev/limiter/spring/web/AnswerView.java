package dev.limiter.spring.web;

import dev.limiter.spring.context.ResponseView;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/** An answer whose status is known before the response itself says so. */
record AnswerView(HttpServletResponse response, int status) implements ResponseView {

    @Override
    public @Nullable String getHeader(String name) {
        return response.getHeader(name);
    }
}
