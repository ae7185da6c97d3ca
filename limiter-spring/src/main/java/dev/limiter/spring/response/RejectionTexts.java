package dev.limiter.spring.response;

import dev.limiter.Decision;
import dev.limiter.spring.failure.FailureLog;
import dev.limiter.spring.response.ProblemBody.Problem;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.MessageSource;

/**
 * The texts in the response to a rejected request: messages of the application, else English defaults. Thread-safe.
 */
public final class RejectionTexts {

    private static final FailureLog failures = new FailureLog(LogFactory.getLog(RejectionTexts.class));

    private final MessageSource messages;

    public RejectionTexts(MessageSource messages) {
        this.messages = messages;
    }

    public String title(Problem problem, Locale locale) {
        return text(problem, ".title", problem.title(), locale);
    }

    /**
     * Returns the detail text. {@code {0}} of a message is the policies that rejected, {@code {1}} the seconds until
     * the next try.
     */
    public String detail(
            Problem problem, Decision decision, List<String> violated, OptionalLong retryAfter, Locale locale) {
        if (problem == Problem.FORBIDDEN) {
            return text(problem, ".detail", "Requests from this address are not allowed.", locale);
        }
        String limits = String.join(", ", violated);
        if (retryAfter.isPresent()) {
            long seconds = retryAfter.getAsLong();
            String english = "The limit " + limits + reason(problem) + "; retry after " + seconds + " s.";
            return text(problem, ".detail", english, locale, limits, seconds);
        }
        return decision.never()
                ? text(
                        problem,
                        ".detail.never",
                        "The request costs more than the limit " + limits + " can ever grant.",
                        locale,
                        limits)
                : text(problem, ".detail.full", "The limit " + limits + reason(problem) + ".", locale, limits);
    }

    private static String reason(Problem problem) {
        return switch (problem) {
            case ABNORMAL_USAGE -> " was exceeded too often";
            case UNDECIDED -> " cannot be checked at the moment";
            case FORBIDDEN, QUOTA_EXCEEDED, REDUCED_CAPACITY -> " is used up";
        };
    }

    /**
     * Looks up a message. The English text is not passed to the message source: some sources parse it as a pattern, in
     * which quotes and braces are special, and cache it permanently.
     */
    private String text(Problem problem, String what, String english, Locale locale, Object... arguments) {
        String code = "limiter." + problem.code() + what;
        try {
            String message = messages.getMessage(code, arguments, null, locale);
            return message == null || message.equals(code) ? english : message;
        } catch (IllegalArgumentException malformed) {
            failures.error(code, "The message " + code + " is not a valid pattern for MessageFormat", malformed);
            return english;
        }
    }
}
