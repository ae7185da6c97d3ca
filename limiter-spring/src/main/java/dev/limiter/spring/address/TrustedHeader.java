package dev.limiter.spring.address;

/** The header in which trusted proxies name their client. */
public enum TrustedHeader {
    /** In whichever is there; if both are and contradict each other, neither is believed. */
    ANY,
    /** {@code Forwarded} of RFC 7239; {@code X-Forwarded-For} is ignored. */
    FORWARDED,
    /** {@code X-Forwarded-For}; {@code Forwarded} is ignored. */
    X_FORWARDED_FOR
}
