package dev.limiter;

import org.jspecify.annotations.Nullable;

/** Thrown when a call is rejected. It has no stack trace, because a rejection is an expected result. */
public class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Decision decision;
    private final transient @Nullable Object details;

    public RateLimitExceededException(Decision decision) {
        this(decision, null);
    }

    /**
     * Creates the exception.
     *
     * @param details anything that an exception handler needs; null for nothing
     */
    public RateLimitExceededException(Decision decision, @Nullable Object details) {
        super("Rate limit of rule \"" + decision.rule().name() + "\" exceeded", null, false, false);
        this.decision = decision;
        this.details = details;
    }

    /** Returns the rejection, with the rule, the limit and the time after which to retry. */
    public Decision decision() {
        return decision;
    }

    /** Returns the details that were added by the thrower, or null. */
    public @Nullable Object details() {
        return details;
    }
}
