package dev.limiter.spring.expression;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** A parsed expression. Thread-safe. */
public final class LimiterExpression {

    private final Expression expression;
    private final String where;
    private final StandardEvaluationContext shared;

    LimiterExpression(Expression expression, String where, StandardEvaluationContext shared) {
        this.expression = expression;
        this.where = where;
        this.shared = shared;
    }

    /**
     * @throws RuleEvaluationException that names the expression, if it throws
     */
    public @Nullable Object evaluate(RateLimitContext context) {
        try {
            return expression.getValue(new DecisionEvaluationContext(shared, context));
        } catch (EvaluationException | IllegalStateException exception) {
            throw new RuleEvaluationException(this + " failed: " + exception.getMessage(), exception);
        }
    }

    @Override
    public String toString() {
        return "Expression \"" + expression.getExpressionString() + "\" (" + where + ")";
    }
}
