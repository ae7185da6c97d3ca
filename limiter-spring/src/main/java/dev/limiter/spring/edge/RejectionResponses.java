package dev.limiter.spring.edge;

import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.response.AsciiText;
import dev.limiter.spring.response.FieldMembers;
import dev.limiter.spring.response.PolicyText;
import dev.limiter.spring.response.ProblemBody;
import dev.limiter.spring.response.ProblemBody.Problem;
import dev.limiter.spring.response.RejectionTexts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.context.MessageSource;

/**
 * Makes the responses to rejected requests: problem details with status 429, with 503 if the application is at its limit
 * rather than the client, with 403 for a denied address. The body is JSON whatever the client accepts. Thread-safe.
 */
public final class RejectionResponses {

    private static final int FORBIDDEN = 403;
    private static final int SERVICE_UNAVAILABLE = 503;

    private final int status;
    private final long maxJitterNanos;
    private final RejectionTexts texts;

    /**
     * A response.
     *
     * @param retryAfter in seconds; empty if a retry cannot succeed
     */
    public record RejectionResponse(int status, OptionalLong retryAfter, AsciiText body) {}

    /**
     * @param status of a rejection that the client causes, 400 to 599
     * @param maxJitter the longest random delay that is added to {@code Retry-After}, 0 or more
     * @param messages may have other texts for title and detail
     */
    public RejectionResponses(int status, Duration maxJitter, MessageSource messages) {
        this.status = status;
        this.maxJitterNanos = maxJitter.toNanos();
        this.texts = new RejectionTexts(messages);
    }

    /**
     * Returns the response to a rejection.
     *
     * @param decisions about the request; null if they are unknown
     * @param path as sent
     */
    public RejectionResponse of(@Nullable RequestDecisions decisions, Decision rejection, String path, Locale locale) {
        Problem problem = problem(decisions, rejection);
        int actualStatus = status(problem, decisions, rejection);
        OptionalLong retryAfter = retryAfter(decisions, rejection);
        List<String> violated = violated(decisions, rejection);
        AsciiText body = ProblemBody.json(
                problem,
                texts.title(problem, locale),
                actualStatus,
                texts.detail(problem, rejection, violated, retryAfter, locale),
                path,
                violated,
                retryAfter);
        return new RejectionResponse(actualStatus, retryAfter, body);
    }

    /** Delays the retry of this client by a random time, so that rejected clients do not return all at once. */
    public void delay(RequestDecisions decisions) {
        if (maxJitterNanos > 0) {
            decisions.delay(Duration.ofNanos(ThreadLocalRandom.current().nextLong(maxJitterNanos + 1)));
        }
    }

    /** A single limit is the one that rejected. */
    private static List<String> violated(@Nullable RequestDecisions decisions, Decision rejection) {
        List<LimitStatus> limits = rejection.limits();
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

    private static String name(@Nullable RequestDecisions decisions, LimitStatus limit) {
        return decisions == null ? PolicyText.nameOf(limit.policy()) : decisions.nameOf(limit.policy());
    }

    private static Problem problem(@Nullable RequestDecisions decisions, Decision rejection) {
        if (isFixed(rejection, FixedDecision.Reason.DENIED)) {
            return Problem.FORBIDDEN;
        }
        if (isFixed(rejection, FixedDecision.Reason.BANNED)) {
            return Problem.ABNORMAL_USAGE;
        }
        if (rejection.onFailure().filter(OnFailure.DENY::equals).isPresent()) {
            return Problem.UNDECIDED;
        }
        return isOverload(decisions, rejection) ? Problem.REDUCED_CAPACITY : Problem.QUOTA_EXCEEDED;
    }

    private static boolean isFixed(Decision decision, FixedDecision.Reason reason) {
        return decision instanceof FixedDecision fixed && fixed.reason() == reason;
    }

    private static boolean isOverload(@Nullable RequestDecisions decisions, Decision rejection) {
        return decisions != null && decisions.isOverload(rejection);
    }

    private int status(Problem problem, @Nullable RequestDecisions decisions, Decision rejection) {
        return switch (problem) {
            case FORBIDDEN -> FORBIDDEN;
            case REDUCED_CAPACITY -> SERVICE_UNAVAILABLE;
            case UNDECIDED -> isOverload(decisions, rejection) ? SERVICE_UNAVAILABLE : status;
            case QUOTA_EXCEEDED, ABNORMAL_USAGE -> status;
        };
    }

    /** Never earlier than a retry can succeed; includes the delay. */
    private OptionalLong retryAfter(@Nullable RequestDecisions decisions, Decision rejection) {
        Optional<Duration> exact = rejection.retryAfter();
        if (exact.isEmpty()) {
            return OptionalLong.empty();
        }
        Duration delay = decisions == null || maxJitterNanos == 0 ? Duration.ZERO : decisions.delay();
        return OptionalLong.of(FieldMembers.secondsRoundedUp(exact.get().plus(delay)));
    }
}
