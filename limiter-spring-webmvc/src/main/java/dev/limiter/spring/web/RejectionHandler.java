package dev.limiter.spring.web;

import dev.limiter.Decision;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * A bean of this type replaces the answer to rejected requests whole: status, {@code Retry-After} and body.
 * Implementations are thread-safe.
 */
@FunctionalInterface
public interface RejectionHandler {

    /**
     * Answers a rejected request, on its thread; may block. The answer so far has no status and no body, only the
     * {@code RateLimit} fields with the standing of the limits after the rejection (none with {@code headers: none}).
     *
     * @param decision the rejection, with where each limit stands and the time after which to retry
     */
    void handle(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException;
}
