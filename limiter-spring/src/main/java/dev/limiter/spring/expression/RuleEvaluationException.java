package dev.limiter.spring.expression;

import dev.limiter.spring.failure.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if an expression or key resolver of a rule fails for one request. The message names it and its origin, and
 * escapes values from the client, because servers log it.
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
     * Returns an exception with the same message, but without stack trace and cause, because servers would log them for
     * each request.
     */
    public static RuleEvaluationException brief(Throwable failure) {
        return new RuleEvaluationException(
                failure instanceof RuleEvaluationException known
                        ? String.valueOf(known.getMessage())
                        : LogText.escape(failure.toString()));
    }
}
