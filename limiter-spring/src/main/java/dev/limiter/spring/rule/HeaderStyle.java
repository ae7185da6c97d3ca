package dev.limiter.spring.rule;

/** The header fields that report limits to clients. */
public enum HeaderStyle {
    /** {@code RateLimit} and {@code RateLimit-Policy} of the IETF draft. */
    IETF,
    /**
     * {@link #IETF} with the names of the draft's open change, the cost of the request, and {@code
     * RateLimit-Partition}.
     */
    IETF_NEXT,
    /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}. */
    LEGACY,
    BOTH,
    NONE;

    public boolean ietf() {
        return this == IETF || this == IETF_NEXT || this == BOTH;
    }

    public boolean legacy() {
        return this == LEGACY || this == BOTH;
    }
}
