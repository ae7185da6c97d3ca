package dev.limiter.spring.web;

import dev.limiter.Decision;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Writes the response to rejected requests. A bean of this type replaces the default status, {@code Retry-After} and
 * body. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface RejectionHandler {

    /**
     * Writes the response on the thread of the request; may block. Only the {@code RateLimit} fields are set before
     * (unless {@code headers: none}); status and body are not.
     *
     * @param decision the rejection, with the state of each limit and the retry after
     */
    void handle(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException;
}
