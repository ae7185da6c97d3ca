package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.spring.edge.RejectionResponses;
import dev.limiter.spring.edge.RejectionResponses.RejectionResponse;
import dev.limiter.spring.response.AsciiText;
import dev.limiter.spring.response.ProblemBody;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.context.MessageSource;
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Responds with status 429 and problem details, or with 503 if the application is overloaded. The body is JSON whatever
 * the client accepts, because the information matters more than its format.
 */
public final class ProblemRejectionHandler implements RejectionHandler {

    private final RejectionResponses responses;

    /**
     * @param status the status of rejections that the client caused, 400 to 599
     * @param maxJitter the most that is randomly added to the retry after, 0 or more
     * @param messages the application's texts for title and detail
     */
    public ProblemRejectionHandler(int status, Duration maxJitter, MessageSource messages) {
        this.responses = new RejectionResponses(status, maxJitter, messages);
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException {
        RejectionResponse rejection = responses.of(
                ServletRequestDecisions.of(request),
                decision,
                request.getRequestURI(),
                RequestContextUtils.getLocale(request));
        response.resetBuffer();
        response.setStatus(rejection.status());
        if (rejection.retryAfter().isPresent()) {
            response.setHeader(
                    "Retry-After", Long.toString(rejection.retryAfter().getAsLong()));
        }
        response.setHeader("Cache-Control", "no-store");
        response.setContentType(ProblemBody.MEDIA_TYPE);
        response.setContentLength(rejection.body().length());
        if (!"HEAD".equals(request.getMethod())) {
            write(rejection.body(), response);
        }
    }

    /** The body is ASCII, so a writer that the handler has begun to use is as good as the stream. */
    private static void write(AsciiText body, HttpServletResponse response) throws IOException {
        ServletOutputStream stream;
        try {
            stream = response.getOutputStream();
        } catch (IllegalStateException writerInUse) {
            response.getWriter().write(body.toString());
            return;
        }
        body.writeTo(stream);
    }

    /** Delays the retry of the client at random. */
    void delay(ServletRequestDecisions decisions) {
        responses.delay(decisions);
    }
}
