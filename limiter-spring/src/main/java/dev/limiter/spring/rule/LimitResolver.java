package dev.limiter.spring.rule;

import dev.limiter.Limit;
import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/**
 * Knows the limit of each customer, for a rule that names the bean in {@code limit-resolver}. Its answer is remembered
 * for each key of the rule, for the time in {@code limit-cache}. Thread-safe; may block the request.
 */
@FunctionalInterface
public interface LimitResolver {

    /**
     * The limit that applies to this request or call.
     *
     * @return null for the rule's own limit; the name of the limit does not matter
     */
    @Nullable
    Limit resolve(RateLimitContext context);
}
