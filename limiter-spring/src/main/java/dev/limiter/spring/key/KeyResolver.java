package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/**
 * A part of a key that the application works out itself. A bean of this type is used by its name: {@code key: tenant}.
 */
@FunctionalInterface
public interface KeyResolver {

    /** The value of the key; null or empty if it is not known. Runs for each decision; must be thread-safe. */
    @Nullable
    String resolve(RateLimitContext context);
}
