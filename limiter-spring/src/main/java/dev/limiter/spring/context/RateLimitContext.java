package dev.limiter.spring.context;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * The subject of one decision: a request, a method call, a method call during a request, or a key that code passes. Not
 * thread-safe.
 */
public interface RateLimitContext {

    Object[] NO_ARGUMENTS = {};

    /** The request being handled; null for a call outside of requests. */
    @Nullable
    RequestView request();

    /** The resource: {@code GET /orders/{id}}, or the signature of a method. */
    String resource();

    /** The called object; null without a method. */
    default @Nullable Object target() {
        return null;
    }

    /** The most specific called method, whose parameters expressions can name; null for a request. */
    default @Nullable Method method() {
        return null;
    }

    /** The arguments of the call; empty for a request. */
    default @Nullable Object[] arguments() {
        return NO_ARGUMENTS;
    }

    /**
     * The key that code passed to a {@link dev.limiter.spring.RateLimitTemplate}; null for a request or a method call.
     */
    default @Nullable String key() {
        return null;
    }

    /** Whether this is answered by the response itself: a request, or the call of the method that serves it. */
    default boolean answersRequest() {
        return method() == null;
    }

    /** The context of a request to a resource. */
    static RateLimitContext of(RequestView request, String resource) {
        return new RequestContext(request, resource);
    }
}
