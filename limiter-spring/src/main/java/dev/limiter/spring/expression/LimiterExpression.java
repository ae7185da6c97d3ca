package dev.limiter.spring.expression;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** A parsed expression. Thread-safe. */
public final class LimiterExpression {

    private final Expression expression;
    private final String where;
    private final StandardEvaluationContext shared;
    private final Variables variables;
    private final boolean isConstant;
    private final @Nullable Object constant;
    private final boolean needsRequest;

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
        this.needsRequest = refersTo("#" + Variables.REQUEST) || refersToResponse();
    }

    private static boolean isConstant(SpelNode node) {
        boolean constant = node instanceof Literal || node.getChildCount() > 0;
        for (int i = 0; constant && i < node.getChildCount(); i++) {
            constant = isConstant(node.getChild(i));
        }
        return constant;
    }

    /** Returns whether it can be evaluated for a decision. Code that passes a key has no request. */
    public boolean appliesTo(RateLimitContext context) {
        return context.key() == null || !needsRequest;
    }

    /**
     * Returns its value; null if it does not {@linkplain #appliesTo apply}.
     *
     * @throws RuleEvaluationException that names the expression, if it throws
     */
    public @Nullable Object evaluate(RateLimitContext context) {
        if (!appliesTo(context)) {
            return null;
        }
        try {
            return expression.getValue(new DecisionEvaluationContext(shared, variables, context));
        } catch (RuntimeException exception) {
            // Includes exceptions of the application's own methods.
            throw new RuleEvaluationException(this + " failed: " + exception, exception);
        }
    }

    /** Returns the value if the expression consists of literals, else null. */
    public @Nullable Object constant() {
        return constant;
    }

    /** Returns whether it consists of literals of another type. */
    public boolean isNever(Class<?> type) {
        return isConstant && !type.isInstance(constant);
    }

    /** Returns an exception for an expression that is invalid for its property. */
    public LimiterConfigurationException problem(String reason) {
        return new LimiterConfigurationException(
                new Problem(MessageCode.EXPRESSION, where, expression.getExpressionString(), reason));
    }

    /** Returns whether it depends on the response to the request. */
    public boolean refersToResponse() {
        return refersTo("#" + Variables.RESPONSE);
    }

    private boolean refersTo(String variable) {
        return refersTo(variable, expression);
    }

    private static boolean refersTo(String variable, Expression expression) {
        if (expression instanceof CompositeStringExpression composite) {
            return Arrays.stream(composite.getExpressions()).anyMatch(part -> refersTo(variable, part));
        }
        return expression instanceof SpelExpression spel && refersTo(variable, spel.getAST());
    }

    private static boolean refersTo(String variable, SpelNode node) {
        boolean refers = node.toStringAST().equals(variable);
        for (int i = 0; !refers && i < node.getChildCount(); i++) {
            refers = refersTo(variable, node.getChild(i));
        }
        return refers;
    }

    @Override
    public String toString() {
        return "Expression \"" + expression.getExpressionString() + "\" (" + where + ")";
    }
}
