package dev.limiter.spring.decide;

/** What became of a request or a call under one rule. */
public enum Outcome {
    /** Counted, and let through by this rule. */
    PERMITTED("permitted"),
    /** Refused by this rule. */
    REJECTED("rejected"),
    /** Refused outright by this rule, since the key was rejected too often. */
    BANNED("banned"),
    /** Refused outright by this rule, since the address of the client is on its list. */
    DENIED("denied"),
    /** Would have been refused by this rule, which only watches. */
    SHADOW_REJECTED("shadow-rejected"),
    /** Exempt from this rule. */
    SKIPPED("skipped");

    private final String tag;

    Outcome(String tag) {
        this.tag = tag;
    }

    /** The name in metrics. */
    public String tag() {
        return tag;
    }
}
