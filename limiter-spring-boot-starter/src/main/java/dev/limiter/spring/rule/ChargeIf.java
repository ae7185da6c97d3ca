package dev.limiter.spring.rule;

import dev.limiter.spring.context.OutcomeContext;
import dev.limiter.spring.expression.BooleanExpression;
import dev.limiter.spring.expression.LimiterExpression;

/** Whether what was taken stays charged, by how the request or call went. Immutable, thread-safe. */
public final class ChargeIf {

    private final BooleanExpression expression;
    private final boolean byResponse;

    ChargeIf(LimiterExpression expression) {
        this.expression = BooleanExpression.of(expression);
        this.byResponse = expression.refersToResponse();
    }

    /** Whether it refers to the answer to the request. */
    public boolean byResponse() {
        return byResponse;
    }

    /**
     * @throws dev.limiter.spring.expression.RuleEvaluationException if it cannot be evaluated
     */
    public boolean evaluate(OutcomeContext outcome) {
        return expression.evaluate(outcome);
    }
}
