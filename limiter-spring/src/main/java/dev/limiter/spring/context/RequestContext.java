package dev.limiter.spring.context;

/** A request without a method. */
record RequestContext(RequestView request, String resource) implements RateLimitContext {}
