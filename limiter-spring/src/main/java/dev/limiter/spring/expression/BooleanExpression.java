package dev.limiter.spring.expression;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.failure.LimiterConfigurationException;

/** A condition that a request meets or not. Thread-safe. */
@FunctionalInterface
public interface BooleanExpression {

    BooleanExpression ALWAYS = context -> true;
    BooleanExpression NEVER = context -> false;

    /**
     * Returns whether the request meets the condition.
     *
     * @throws RuleEvaluationException if it fails, or does not return a boolean
     */
    boolean evaluate(RateLimitContext context);

    /**
     * Returns a condition for {@code expression}, which must return a boolean.
     *
     * @param example a valid comparison, for messages
     * @param inCode the value for a decision without a request, if the expression needs one
     * @throws LimiterConfigurationException if it is a constant that is neither true nor false
     */
    static BooleanExpression of(LimiterExpression expression, String example, boolean inCode) {
        if (expression.isNever(Boolean.class)) {
            throw expression.problem("It is always " + expression.constant() + ", but must be true or false. Write a"
                    + " comparison, such as \"" + example + "\".");
        }
        if (expression.constant() instanceof Boolean constant) {
            return constant ? ALWAYS : NEVER;
        }
        return context -> {
            if (!expression.appliesTo(context)) {
                return inCode;
            }
            Object value = expression.evaluate(context);
            if (value instanceof Boolean bool) {
                return bool;
            }
            throw new RuleEvaluationException(
                    expression + " returned " + value + ", but must return true or false", null);
        };
    }
}
