package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/** A part of a key from the application. A bean of this type is used by its name: {@code key: tenant}. */
@FunctionalInterface
public interface KeyResolver {

    /**
     * The value of the key; null or empty if it is not known: all such requests share a bucket. Runs for each decision,
     * on its thread, and may block it; must be thread-safe. After an exception the request is answered with status 500,
     * and the log has the reason.
     */
    @Nullable
    String resolve(RateLimitContext context);
}
