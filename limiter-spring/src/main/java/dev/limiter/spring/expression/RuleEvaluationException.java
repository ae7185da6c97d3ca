package dev.limiter.spring.expression;

import dev.limiter.spring.failure.LogText;
import org.jspecify.annotations.Nullable;

/**
 * An expression or key resolver of a rule failed for one request; the message names it and its place. Values from the
 * client are escaped in the message, since servers log it.
 */
public final class RuleEvaluationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RuleEvaluationException(String message, @Nullable Throwable cause) {
        super(LogText.escape(message), cause);
    }

    private RuleEvaluationException(String message) {
        super(message, null, false, false);
    }

    /**
     * An exception with the message of a failure, without stack trace and cause, for servers that would log it for each
     * request.
     */
    public static RuleEvaluationException brief(Throwable failure) {
        return new RuleEvaluationException(
                failure instanceof RuleEvaluationException known
                        ? String.valueOf(known.getMessage())
                        : LogText.escape(failure.toString()));
    }
}
