package dev.limiter.spring.compile;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpression;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.Setting;
import org.jspecify.annotations.Nullable;

/** The number of permits that one request takes: a constant or an expression. */
final class Cost {

    public static final Cost ONE = new Cost(null, 1, null);

    private final @Nullable Setting<String> setting;
    private final long fixed;
    private final @Nullable LimiterExpression expression;

    private Cost(@Nullable Setting<String> setting, long fixed, @Nullable LimiterExpression expression) {
        this.setting = setting;
        this.fixed = fixed;
        this.expression = expression;
    }

    /**
     * Parses a number or an expression.
     *
     * @throws LimiterConfigurationException if it is neither, or a constant that cannot be a cost
     */
    public static Cost parse(Setting<String> setting, LimiterExpressionParser expressions, ExpressionScope variables) {
        String text = setting.value().strip();
        // SpEL reads a number without the suffix as an int
        String number = text.matches("[0-9]+") ? text + "L" : text;
        LimiterExpression expression = expressions.parse(number, setting.where(), variables);
        Object constant = expression.constant();
        if (constant == null && !expression.isNever(Number.class)) {
            return new Cost(setting, 0, expression);
        }
        if (constant instanceof Integer || constant instanceof Long) {
            long permits = ((Number) constant).longValue();
            if (permits >= 1) {
                return new Cost(setting, permits, null);
            }
        }
        throw new LimiterConfigurationException(new Problem(
                MessageCode.COST,
                setting.where(),
                setting.value(),
                "It is always " + constant + ". A cost must be a whole number from 1, or an expression such as"
                        + " \"#p0.size()\"."));
    }

    /** Returns the setting as written; null if there is none. */
    @Nullable
    public Setting<String> setting() {
        return setting;
    }

    public boolean isFixed() {
        return expression == null;
    }

    public long fixed() {
        return fixed;
    }

    long of(RateLimitContext context) {
        if (expression == null) {
            return fixed;
        }
        return expression.appliesTo(context) ? permits(expression, expression.evaluate(context)) : 1;
    }

    private static long permits(LimiterExpression expression, @Nullable Object value) {
        if (value instanceof Number number && number.longValue() == number.doubleValue() && number.longValue() >= 0) {
            return number.longValue();
        }
        throw new RuleEvaluationException(
                expression + " returned " + value + "; a cost must be a whole number, 0 or more", null);
    }
}
