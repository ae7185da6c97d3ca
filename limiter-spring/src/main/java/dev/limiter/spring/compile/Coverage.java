package dev.limiter.spring.compile;

/** The requests to an endpoint that a pattern covers. */
public enum Coverage {
    ALL,
    NONE,
    /** Depends on the path: the endpoint has a variable where the pattern has a literal segment. */
    SOME
}
