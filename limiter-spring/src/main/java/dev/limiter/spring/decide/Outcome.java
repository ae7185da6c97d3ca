package dev.limiter.spring.decide;

import dev.limiter.Decision;
import dev.limiter.OnFailure;

/** The outcome of a request or a call under one rule. */
public enum Outcome {
    /** Counted, and let through by this rule. */
    PERMITTED("permitted"),
    /** Rejected by this rule. */
    REJECTED("rejected"),
    /** Rejected outright by this rule, since the key was rejected too often. */
    BANNED("banned"),
    /** Rejected outright by this rule, since the address of the client is on its list. */
    DENIED("denied"),
    /** Would have been rejected by this rule, which only watches. */
    SHADOW_REJECTED("shadow-rejected"),
    /** Exempt from this rule. */
    SKIPPED("skipped"),
    /** Let through without having been counted, since the storage did not decide. */
    FAILED_OPEN("failed-open"),
    /** Rejected, since the storage did not decide. */
    FAILED_CLOSED("failed-closed"),
    /** Let through in memory, where it was counted, since the storage did not decide. */
    FAILED_LOCAL("failed-local");

    private final String tag;

    Outcome(String tag) {
        this.tag = tag;
    }

    /** The outcome of a rule that permitted, by its part of the decision. */
    static Outcome permitted(Decision part) {
        return part.onFailure()
                .map(how -> how == OnFailure.ALLOW ? FAILED_OPEN : FAILED_LOCAL)
                .orElse(PERMITTED);
    }

    /** The outcome of a rule that rejected, by its part of the decision. */
    static Outcome rejected(Decision part) {
        return part.onFailure().filter(OnFailure.DENY::equals).isPresent() ? FAILED_CLOSED : REJECTED;
    }

    /**
     * The outcome of a rule that only watches, by its decision: where the storage did not decide, no limit was asked that
     * would have rejected.
     */
    static Outcome watched(Decision part) {
        if (part.permitted()) {
            return permitted(part);
        }
        return rejected(part) == REJECTED ? SHADOW_REJECTED : FAILED_OPEN;
    }

    /** The name in metrics. */
    public String tag() {
        return tag;
    }
}
