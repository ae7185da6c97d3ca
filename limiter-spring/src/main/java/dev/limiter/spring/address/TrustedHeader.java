package dev.limiter.spring.address;

/** The header in which trusted proxies report the client. */
public enum TrustedHeader {
    /** Either header; if both are present and contradict each other, both are ignored. */
    ANY,
    /** {@code Forwarded} of RFC 7239; {@code X-Forwarded-For} is ignored. */
    FORWARDED,
    /** {@code X-Forwarded-For}; {@code Forwarded} is ignored. */
    X_FORWARDED_FOR
}
