package dev.limiter.spring.rule;

/** Which header fields tell clients where they stand. */
public enum HeaderStyle {
    /** {@code RateLimit} and {@code RateLimit-Policy}, as the IETF draft has them. */
    IETF,
    /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}. */
    LEGACY,
    BOTH,
    NONE;

    public boolean ietf() {
        return this == IETF || this == BOTH;
    }

    public boolean legacy() {
        return this == LEGACY || this == BOTH;
    }
}
