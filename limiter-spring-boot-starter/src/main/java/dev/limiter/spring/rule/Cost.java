package dev.limiter.spring.rule;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.LimiterExpression;
import dev.limiter.spring.expression.RuleEvaluationException;
import org.jspecify.annotations.Nullable;

/** How many permits one request takes: a number, or an expression that gives one. */
final class Cost {

    static final Cost ONE = new Cost(1, null);

    private final long fixed;
    private final @Nullable LimiterExpression expression;

    private Cost(long fixed, @Nullable LimiterExpression expression) {
        this.fixed = fixed;
        this.expression = expression;
    }

    static Cost fixed(long permits) {
        return new Cost(permits, null);
    }

    static Cost of(LimiterExpression expression) {
        return new Cost(0, expression);
    }

    boolean isFixed() {
        return expression == null;
    }

    long fixed() {
        return fixed;
    }

    long of(RateLimitContext context) {
        return expression == null ? fixed : permits(expression, expression.evaluate(context));
    }

    private static long permits(LimiterExpression expression, @Nullable Object value) {
        if (value instanceof Number number && number.longValue() == number.doubleValue() && number.longValue() >= 0) {
            return number.longValue();
        }
        throw new RuleEvaluationException(
                expression + " gave " + value + ", but a cost is a whole number, 0 or more", null);
    }
}
