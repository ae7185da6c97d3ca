package dev.limiter.spring.rule;

/** The consequences of a decision. */
public enum Mode {
    /** Over the limit is rejected. */
    ENFORCE,
    /** Decided and counted, but nothing is rejected, delayed or told to the client. */
    SHADOW,
    /** Not decided at all. */
    OFF;

    /** The one of both that does less. */
    public Mode weaker(Mode other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
