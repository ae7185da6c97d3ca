package dev.limiter.spring.expression;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.failure.LimiterConfigurationException;

/** Something that is true or false of a request. Thread-safe. */
@FunctionalInterface
public interface BooleanExpression {

    BooleanExpression ALWAYS = context -> true;
    BooleanExpression NEVER = context -> false;

    /**
     * @throws RuleEvaluationException if it fails, or gives neither
     */
    boolean evaluate(RateLimitContext context);

    /**
     * {@code expression}, which has to give a boolean.
     *
     * @param example of a comparison that is possible where it is written, for messages
     * @param inCode the value for a decision without a request, if the expression needs one
     * @throws LimiterConfigurationException if it is a constant that is neither true nor false
     */
    static BooleanExpression of(LimiterExpression expression, String example, boolean inCode) {
        if (expression.isNever(Boolean.class)) {
            throw expression.problem("This is always " + expression.constant()
                    + ", but has to be true or false. Compare it with something, such as \"" + example + "\"");
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
            throw new RuleEvaluationException(expression + " gave " + value + ", but has to give true or false", null);
        };
    }
}
