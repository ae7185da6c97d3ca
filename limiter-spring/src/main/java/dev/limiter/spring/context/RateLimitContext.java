package dev.limiter.spring.context;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * The subject of one decision: a request, a method call with or without a request, or a key that code passes. Not
 * thread-safe.
 */
public interface RateLimitContext {

    Object[] NO_ARGUMENTS = {};

    /** Returns the request being handled; null for a call outside of requests. */
    @Nullable
    RequestView request();

    /** Returns the resource: {@code GET /orders/{id}}, or the signature of a method. */
    String resource();

    /** Returns the called object; null without a method. */
    default @Nullable Object target() {
        return null;
    }

    /** Returns the most specific called method; null for a request. Expressions can use its parameters. */
    default @Nullable Method method() {
        return null;
    }

    /** Returns the arguments of the call; empty for a request. */
    default @Nullable Object[] arguments() {
        return NO_ARGUMENTS;
    }

    /**
     * Returns the key that code passed to a {@link dev.limiter.spring.RateLimitTemplate}; null for a request or a
     * method call.
     */
    default @Nullable String key() {
        return null;
    }

    /** Returns whether the response is the outcome: true for a request, and for the call of its handler method. */
    default boolean answersRequest() {
        return method() == null;
    }

    /** Returns the context of a request to a resource. */
    static RateLimitContext of(RequestView request, String resource) {
        return new RequestContext(request, resource);
    }
}
