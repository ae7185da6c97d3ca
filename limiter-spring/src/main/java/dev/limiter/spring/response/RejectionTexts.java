package dev.limiter.spring.response;

import dev.limiter.Decision;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.response.ProblemBody.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.MessageSource;

/**
 * The texts in the response to a rejected request: messages of the application, else English defaults. Message codes
 * are our own, or Spring's codes for the problem details of an exception. Thread-safe.
 */
public final class RejectionTexts {

    private static final Log logger = LogFactory.getLog(RejectionTexts.class);
    private static final String SPRINGS_TITLE = "problemDetail.title." + RateLimitExceededException.class.getName();
    private static final String SPRINGS_DETAIL = "problemDetail." + RateLimitExceededException.class.getName();
    private static final Object[] NONE = {};
    private static final Map<Problem, Wording> WORDINGS =
            Stream.of(Problem.values()).collect(Collectors.toUnmodifiableMap(problem -> problem, Wording::of));

    private final MessageSource messages;
    private volatile boolean warned;

    public RejectionTexts(MessageSource messages) {
        this.messages = messages;
    }

    public String title(Problem problem, Locale locale) {
        Wording wording = Objects.requireNonNull(WORDINGS.get(problem));
        return text(wording.titleCodes, NONE, wording.title, locale);
    }

    /**
     * Returns the detail text. {@code {0}} of a message is the policies that rejected, {@code {1}} the seconds until
     * the next try.
     */
    public String detail(
            Problem problem, Decision decision, List<String> violated, OptionalLong retryAfter, Locale locale) {
        Wording wording = Objects.requireNonNull(WORDINGS.get(problem));
        if (problem == Problem.FORBIDDEN) {
            return text(wording.detailCodes, NONE, "Requests from this address are not allowed.", locale);
        }
        String limits = violated.size() == 1 ? violated.get(0) : String.join(", ", violated);
        if (retryAfter.isPresent()) {
            return text(
                    wording.detailCodes,
                    new Object[] {limits, retryAfter.getAsLong()},
                    "The limit " + limits + wording.reason + "; retry after " + retryAfter.getAsLong() + " s.",
                    locale);
        }
        Object[] limitsOnly = {limits};
        if (decision.never()) {
            return text(
                    wording.neverCodes,
                    limitsOnly,
                    "The request costs more than the limit " + limits + " can ever grant.",
                    locale);
        }
        return text(wording.fullCodes, limitsOnly, "The limit " + limits + wording.reason + ".", locale);
    }

    /** The default texts for one problem, and the codes of the messages that replace them, in lookup order. */
    private record Wording(
            String title,
            String reason,
            String[] titleCodes,
            String[] detailCodes,
            String[] neverCodes,
            String[] fullCodes) {

        private static String reasonOf(Problem problem) {
            return switch (problem) {
                case ABNORMAL_USAGE -> " was exceeded too often";
                case UNDECIDED -> " cannot be checked at the moment";
                case FORBIDDEN, QUOTA_EXCEEDED, REDUCED_CAPACITY -> " is used up";
            };
        }

        /**
         * Returns the texts for a problem. Spring's codes do not distinguish problems, so they apply only to the usual
         * one.
         */
        static Wording of(Problem problem) {
            String own = "limiter." + problem.code();
            boolean ordinary = problem == Problem.QUOTA_EXCEEDED;
            return new Wording(
                    problem.title(),
                    reasonOf(problem),
                    ordinary ? new String[] {own + ".title", SPRINGS_TITLE} : new String[] {own + ".title"},
                    ordinary ? new String[] {own + ".detail", SPRINGS_DETAIL} : new String[] {own + ".detail"},
                    new String[] {own + ".detail.never"},
                    new String[] {own + ".detail.full"});
        }
    }

    /**
     * Looks up a message. The default text is not passed to the message source: some sources parse it as a pattern, in
     * which quotes and braces are special, and cache it permanently.
     */
    private String text(String[] codes, Object[] arguments, String otherwise, Locale locale) {
        try {
            for (String code : codes) {
                String message = messages.getMessage(code, arguments, null, locale);
                if (message != null && !message.equals(code)) {
                    return message;
                }
            }
        } catch (IllegalArgumentException malformed) {
            warn(codes[0], malformed);
        }
        return otherwise;
    }

    private void warn(String code, IllegalArgumentException malformed) {
        if (!warned) {
            warned = true;
            logger.warn(
                    "The message " + code + " is not a valid pattern for MessageFormat; rejections use the"
                            + " English default. Correct the pattern.",
                    malformed);
        }
    }
}
