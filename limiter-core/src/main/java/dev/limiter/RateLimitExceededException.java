package dev.limiter;

import org.jspecify.annotations.Nullable;

/** Thrown where a rejection has to stop the caller. It has no stack trace, because it is an answer and no fault. */
public class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Decision decision;
    private final transient @Nullable Object details;

    public RateLimitExceededException(Decision decision) {
        this(decision, null);
    }

    /** {@code details}: anything that the thrower needs where the exception is handled. */
    public RateLimitExceededException(Decision decision, @Nullable Object details) {
        super("Rate limit of rule \"" + decision.rule().name() + "\" exceeded", null, false, false);
        this.decision = decision;
        this.details = details;
    }

    /** The rejection, with the rule, the limit and the time after which to retry. */
    public Decision decision() {
        return decision;
    }

    /** The details that the thrower has added; null if there are none. */
    public @Nullable Object details() {
        return details;
    }
}
