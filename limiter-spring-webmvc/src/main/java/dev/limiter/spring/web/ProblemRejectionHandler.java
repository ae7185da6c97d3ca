package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spring.response.AsciiText;
import dev.limiter.spring.response.FieldMembers;
import dev.limiter.spring.response.PolicyText;
import dev.limiter.spring.response.ProblemBody;
import dev.limiter.spring.response.RejectionTexts;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.context.MessageSource;
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Responds with status 429 and problem details, or with 503 if the application is overloaded. The body is JSON whatever
 * the client accepts, because the information matters more than its format.
 */
public final class ProblemRejectionHandler implements RejectionHandler {

    private final int status;
    final long maxJitterNanos;
    private final RejectionTexts texts;

    /**
     * @param status the status of rejections that the client caused, 400 to 599
     * @param maxJitter the most that is randomly added to the retry after, 0 or more
     * @param messages the application's texts for title and detail
     */
    public ProblemRejectionHandler(int status, Duration maxJitter, MessageSource messages) {
        this.status = status;
        this.maxJitterNanos = maxJitter.toNanos();
        this.texts = new RejectionTexts(messages);
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException {
        ProblemBody.Problem problem = problem(request, decision);
        int status = status(problem, request, decision);
        OptionalLong retryAfter = retryAfter(request, decision);
        List<String> violated = violated(request, decision);
        Locale locale = RequestContextUtils.getLocale(request);
        AsciiText body = ProblemBody.json(
                problem,
                texts.title(problem, locale),
                status,
                texts.detail(problem, decision, violated, retryAfter, locale),
                request.getRequestURI(),
                violated,
                retryAfter);
        response.resetBuffer();
        response.setStatus(status);
        if (retryAfter.isPresent()) {
            response.setHeader("Retry-After", Long.toString(retryAfter.getAsLong()));
        }
        response.setHeader("Cache-Control", "no-store");
        response.setContentType(ProblemBody.MEDIA_TYPE);
        response.setContentLength(body.length());
        if (!"HEAD".equals(request.getMethod())) {
            write(body, response);
        }
    }

    /** Returns the names of the limits that rejected. A single limit is the one that rejected. */
    private static List<String> violated(HttpServletRequest request, Decision decision) {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        List<LimitStatus> limits = decision.limits();
        if (limits.size() == 1) {
            return List.of(name(decisions, limits.get(0)));
        }
        List<String> violated = new ArrayList<>();
        for (LimitStatus limit : limits) {
            if (!limit.permitted()) {
                violated.add(name(decisions, limit));
            }
        }
        return violated;
    }

    private static String name(@Nullable ServletRequestDecisions decisions, LimitStatus limit) {
        return decisions == null ? PolicyText.nameOf(limit.policy()) : decisions.nameOf(limit.policy());
    }

    /**
     * Writes the body to the stream or, if a handler has used it before, to the writer. The body is ASCII, so both send
     * the same.
     */
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

    private static ProblemBody.Problem problem(HttpServletRequest request, Decision decision) {
        if (isFixed(decision, FixedDecision.Reason.DENIED)) {
            return ProblemBody.Problem.FORBIDDEN;
        }
        if (isFixed(decision, FixedDecision.Reason.BANNED)) {
            return ProblemBody.Problem.ABNORMAL_USAGE;
        }
        if (decision.onFailure().filter(OnFailure.DENY::equals).isPresent()) {
            return ProblemBody.Problem.UNDECIDED;
        }
        return isOverload(request, decision)
                ? ProblemBody.Problem.REDUCED_CAPACITY
                : ProblemBody.Problem.QUOTA_EXCEEDED;
    }

    private static boolean isFixed(Decision decision, FixedDecision.Reason reason) {
        return decision instanceof FixedDecision fixed && fixed.reason() == reason;
    }

    private static boolean isOverload(HttpServletRequest request, Decision decision) {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        return decisions != null && decisions.isOverload(decision);
    }

    private int status(ProblemBody.Problem problem, HttpServletRequest request, Decision decision) {
        return switch (problem) {
            case FORBIDDEN -> HttpServletResponse.SC_FORBIDDEN;
            case REDUCED_CAPACITY -> HttpServletResponse.SC_SERVICE_UNAVAILABLE;
            case UNDECIDED -> isOverload(request, decision) ? HttpServletResponse.SC_SERVICE_UNAVAILABLE : status;
            case QUOTA_EXCEEDED, ABNORMAL_USAGE -> status;
        };
    }

    /**
     * Returns a random delay for the retry after of one rejection, so that rejected clients do not all return at once.
     */
    Duration drawDelay() {
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(maxJitterNanos + 1));
    }

    /** Returns the retry after, rounded up, with the same delay as the fields of this response. */
    private OptionalLong retryAfter(HttpServletRequest request, Decision decision) {
        Optional<Duration> exact = decision.retryAfter();
        if (exact.isEmpty()) {
            return OptionalLong.empty();
        }
        ServletRequestDecisions decisions = maxJitterNanos == 0 ? null : ServletRequestDecisions.of(request);
        Duration delayed = decisions == null ? exact.get() : exact.get().plus(decisions.delay());
        return OptionalLong.of(FieldMembers.secondsRoundedUp(delayed));
    }
}
