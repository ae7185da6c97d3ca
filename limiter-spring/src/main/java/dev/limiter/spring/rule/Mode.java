package dev.limiter.spring.rule;

/** The effect of decisions. */
public enum Mode {
    /** Requests over the limit are rejected. */
    ENFORCE,
    /** Requests are decided and counted, but never rejected or delayed, and responses carry no fields. */
    SHADOW,
    /** Requests are not decided. */
    OFF;

    /** Returns the mode with less effect. */
    public Mode weaker(Mode other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
