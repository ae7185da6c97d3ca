package dev.limiter.spring.expression;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** A parsed expression. Thread-safe. */
public final class LimiterExpression {

    private final Expression expression;
    private final String where;
    private final StandardEvaluationContext shared;
    private final Variables variables;

    LimiterExpression(Expression expression, String where, StandardEvaluationContext shared, Variables variables) {
        this.expression = expression;
        this.where = where;
        this.shared = shared;
        this.variables = variables;
    }

    /**
     * @throws RuleEvaluationException that names the expression, if it throws
     */
    public @Nullable Object evaluate(RateLimitContext context) {
        try {
            return expression.getValue(new DecisionEvaluationContext(shared, variables, context));
        } catch (RuntimeException exception) {
            // SpEL passes on what the application's own methods throw.
            throw new RuleEvaluationException(this + " failed: " + exception, exception);
        }
    }

    /** The value, if it is a plain number or text and the same for each decision; null if it has to be evaluated. */
    public @Nullable Object literal() {
        boolean literal = expression instanceof SpelExpression spel && isLiteral(spel.getAST());
        return literal ? expression.getValue() : null;
    }

    /** The exception if it cannot be used where it is written. */
    LimiterConfigurationException problem(String reason) {
        return new LimiterConfigurationException(
                new Problem(MessageCode.EXPRESSION, where, expression.getExpressionString(), reason));
    }

    /** Whether it depends on how the answer to the request comes out. */
    public boolean refersToResponse() {
        return expression instanceof SpelExpression spel && refersTo("#" + Variables.RESPONSE, spel.getAST());
    }

    private static boolean refersTo(String variable, SpelNode node) {
        if (node instanceof VariableReference && node.toStringAST().equals(variable)) {
            return true;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            if (refersTo(variable, node.getChild(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLiteral(SpelNode node) {
        return node instanceof Literal
                || (node instanceof OpMinus && node.getChildCount() == 1 && isLiteral(node.getChild(0)));
    }

    @Override
    public String toString() {
        return "Expression \"" + expression.getExpressionString() + "\" (" + where + ")";
    }
}
