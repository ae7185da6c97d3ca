package dev.limiter;

/** Thrown where a rejection has to stop the caller. It has no stack trace, because it is an answer and no fault. */
public class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Decision decision;

    public RateLimitExceededException(Decision decision) {
        super("Rate limit of rule \"" + decision.rule().name() + "\" exceeded", null, false, false);
        this.decision = decision;
    }

    /** The rejection, with the rule, the limit and the time after which to retry. */
    public Decision decision() {
        return decision;
    }
}
