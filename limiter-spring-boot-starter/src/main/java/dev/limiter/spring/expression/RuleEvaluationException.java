package dev.limiter.spring.expression;

import org.jspecify.annotations.Nullable;

/** An expression or key resolver of a rule failed for one request; the message names it and where it was written. */
public final class RuleEvaluationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RuleEvaluationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
