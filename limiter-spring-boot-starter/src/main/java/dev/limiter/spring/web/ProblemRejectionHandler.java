package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.decide.RuleDecider;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Answers with status 429, the fields that tell where the limits stand, and problem details as the body; with 503 where
 * it is not the client that does too much, but all together.
 */
public final class ProblemRejectionHandler implements RejectionHandler {

    private final LimiterSettings.Web settings;
    private final ServletCurrentRequest requests;
    private final RuleDecider decider;

    public ProblemRejectionHandler(LimiterSettings.Web settings, ServletCurrentRequest requests, RuleDecider decider) {
        this.settings = settings;
        this.requests = requests;
        this.decider = decider;
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException {
        ServletRequestDecisions decisions = requests.of(request, response);
        boolean overload = decisions.isOverload(decision);
        int status = overload ? HttpServletResponse.SC_SERVICE_UNAVAILABLE : settings.status();
        ProblemBody.Problem problem =
                overload ? ProblemBody.Problem.REDUCED_CAPACITY : ProblemBody.Problem.QUOTA_EXCEEDED;
        OptionalLong retryAfter = retryAfter(decision);
        byte[] body = ProblemBody.json(problem, status, decision, request.getRequestURI(), retryAfter)
                .getBytes(StandardCharsets.US_ASCII);
        response.resetBuffer();
        response.setStatus(status);
        decisions.writeRejection(decider, decision, settings.headers());
        retryAfter.ifPresent(seconds -> response.setHeader("Retry-After", Long.toString(seconds)));
        response.setHeader("Cache-Control", "no-store");
        response.setContentType(ProblemBody.MEDIA_TYPE);
        response.setContentLength(body.length);
        if (!"HEAD".equals(request.getMethod())) {
            response.getOutputStream().write(body);
        }
    }

    /** Never earlier than the truth; later by up to the jitter, so that rejected clients do not all return at once. */
    private OptionalLong retryAfter(Decision decision) {
        return decision.retryAfter()
                .map(exact -> OptionalLong.of(RateLimitFields.secondsRoundedUp(exact.plus(jitter()))))
                .orElse(OptionalLong.empty());
    }

    private Duration jitter() {
        long most = settings.retryAfterJitter().toNanos();
        return most == 0
                ? Duration.ZERO
                : Duration.ofNanos(ThreadLocalRandom.current().nextLong(most + 1));
    }
}
