package dev.limiter.spring.context;

/** A request, and no method. */
record RequestContext(RequestView request, String resource) implements RateLimitContext {}
