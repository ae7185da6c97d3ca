package dev.limiter.spring.web;

import dev.limiter.Decision;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** A bean of this type replaces the answer to rejected requests whole: status, {@code Retry-After} and body. */
@FunctionalInterface
public interface RejectionHandler {

    /**
     * Answers a request that was rejected. Nothing has been written yet but the {@code RateLimit} fields, which tell where
     * the limits stand after the rejection, unless {@code headers: none} leaves them out.
     *
     * @param decision the refusal, with where each limit stands and the time after which to retry
     */
    void handle(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException;
}
