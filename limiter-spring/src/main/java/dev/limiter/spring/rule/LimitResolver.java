package dev.limiter.spring.rule;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the limit of each key. A rule refers to a bean of this type with {@code limit-resolver}. Results are cached
 * for {@code limit-cache} and refreshed on another thread, so implementations must not read thread locals. They must be
 * thread-safe and may block: the first request of a key waits for the result.
 */
@FunctionalInterface
public interface LimitResolver {

    /**
     * Returns the limit of a request or call.
     *
     * @return a number of permits, a {@link dev.limiter.Limit}, the name of a tier of the rule, or a map from names of
     *     limits to such limits or numbers; null for the rule's own limit
     */
    @Nullable
    Object resolve(RateLimitContext context);
}
