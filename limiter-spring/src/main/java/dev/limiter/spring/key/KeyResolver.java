package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/** Resolves a part of a key in application code. Use a bean of this type by its name: {@code key: tenant}. */
@FunctionalInterface
public interface KeyResolver {

    /**
     * Returns the value of the part. Requests without a value (null or empty) share a bucket. Called for each decision
     * on its thread, so it must be thread-safe and may block. If it throws, the response has status 500 and the failure
     * is logged.
     */
    @Nullable
    String resolve(RateLimitContext context);
}
