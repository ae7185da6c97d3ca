package dev.limiter.spring.expression;

import dev.limiter.spring.context.RateLimitContext;

/** Something that is true or false of a request. Thread-safe. */
@FunctionalInterface
public interface BooleanExpression {

    BooleanExpression ALWAYS = context -> true;
    BooleanExpression NEVER = context -> false;

    /**
     * @throws RuleEvaluationException if it fails, or gives neither
     */
    boolean evaluate(RateLimitContext context);

    /** {@code expression}, which has to give a boolean. */
    static BooleanExpression of(LimiterExpression expression) {
        return context -> {
            Object value = expression.evaluate(context);
            if (value instanceof Boolean bool) {
                return bool;
            }
            throw new RuleEvaluationException(expression + " gave " + value + ", but has to give true or false", null);
        };
    }
}
