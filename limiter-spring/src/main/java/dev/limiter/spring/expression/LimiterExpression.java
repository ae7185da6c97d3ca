package dev.limiter.spring.expression;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** A parsed expression. Thread-safe. */
public final class LimiterExpression {

    private static final Set<String> WHOLE = Set.of("#" + Variables.REQUEST, "#" + Variables.RESPONSE);

    private final Expression expression;
    private final String where;
    private final StandardEvaluationContext shared;
    private final Variables variables;
    private final boolean isConstant;
    private final @Nullable Object constant;

    /**
     * @throws RuntimeException if it consists of literals that cannot be combined
     */
    LimiterExpression(Expression expression, String where, StandardEvaluationContext shared, Variables variables) {
        this.expression = expression;
        this.where = where;
        this.shared = shared;
        this.variables = variables;
        this.isConstant = expression instanceof SpelExpression spel && isConstant(spel.getAST());
        this.constant = isConstant ? expression.getValue() : null;
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

    /** The value, if it is made of literals alone and the same for each decision; null if it has to be evaluated. */
    public @Nullable Object constant() {
        return constant;
    }

    /** Whether the value is the same for each decision, and not of a type. */
    public boolean isNever(Class<?> type) {
        return isConstant && !type.isInstance(constant);
    }

    /** Whether it is the request, the answer or a bean itself, none of which tells requests apart. */
    public boolean isWhole() {
        return expression instanceof SpelExpression spel
                && (spel.getAST() instanceof BeanReference
                        || WHOLE.contains(spel.getAST().toStringAST()));
    }

    /** The exception if it cannot be used where it is written. */
    public LimiterConfigurationException problem(String reason) {
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

    private static boolean isConstant(SpelNode node) {
        boolean operator = node instanceof Operator
                || node instanceof OperatorNot
                || node instanceof Ternary
                || node instanceof Elvis;
        boolean constant = operator || node instanceof Literal;
        for (int i = 0; constant && i < node.getChildCount(); i++) {
            constant = isConstant(node.getChild(i));
        }
        return constant;
    }

    @Override
    public String toString() {
        return "Expression \"" + expression.getExpressionString() + "\" (" + where + ")";
    }
}
