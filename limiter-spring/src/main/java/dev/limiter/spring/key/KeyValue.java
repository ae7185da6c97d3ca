package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/** Where the value of a part of a key comes from; null or empty if it is not known. */
@FunctionalInterface
public interface KeyValue {

    /**
     * @throws dev.limiter.spring.expression.RuleEvaluationException if an expression or a resolver fails
     */
    @Nullable
    String of(RateLimitContext context);
}
