package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/** The source of the value of a part of a key; null or empty if it is not known. Thread-safe. */
@FunctionalInterface
public interface KeyValue {

    /**
     * @throws dev.limiter.spring.expression.RuleEvaluationException if an expression or a resolver fails
     */
    @Nullable
    String of(RateLimitContext context);
}
