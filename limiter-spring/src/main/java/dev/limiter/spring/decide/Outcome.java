package dev.limiter.spring.decide;

import dev.limiter.Decision;
import dev.limiter.OnFailure;

/** The outcome of a request or a call under one rule. */
public enum Outcome {
    /** Counted and permitted by this rule. */
    PERMITTED("permitted"),
    /** Rejected by this rule. */
    REJECTED("rejected"),
    /** Rejected by this rule, because the key is banned. */
    BANNED("banned"),
    /** Rejected by this rule, because the client is on its deny list. */
    DENIED("denied"),
    /** Would have been rejected by this rule, which is in shadow mode. */
    SHADOW_REJECTED("shadow-rejected"),
    /** Exempt from this rule. */
    SKIPPED("skipped"),
    /** Permitted without being counted, because the storage is unavailable. */
    FAILED_OPEN("failed-open"),
    /** Rejected, because the storage is unavailable. */
    FAILED_CLOSED("failed-closed"),
    /** Permitted and counted in memory, because the storage is unavailable. */
    FAILED_LOCAL("failed-local");

    private final String tag;

    Outcome(String tag) {
        this.tag = tag;
    }

    /** Returns the outcome of a rule that permitted, given its part of the decision. */
    static Outcome permitted(Decision part) {
        return part.onFailure()
                .map(how -> how == OnFailure.ALLOW ? FAILED_OPEN : FAILED_LOCAL)
                .orElse(PERMITTED);
    }

    /** Returns the outcome of a rule that rejected, given its part of the decision. */
    static Outcome rejected(Decision part) {
        return part.onFailure().filter(OnFailure.DENY::equals).isPresent() ? FAILED_CLOSED : REJECTED;
    }

    /**
     * Returns the outcome of a shadow rule, given its decision. If the storage is unavailable, no limit was checked.
     */
    static Outcome watched(Decision part) {
        if (part.permitted()) {
            return permitted(part);
        }
        return rejected(part) == REJECTED ? SHADOW_REJECTED : FAILED_OPEN;
    }

    /** Returns the name in metrics. */
    public String tag() {
        return tag;
    }
}
