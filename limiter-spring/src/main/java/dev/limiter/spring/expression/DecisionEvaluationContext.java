package dev.limiter.spring.expression;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.SettlementContext;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** The variables of one decision. All decisions share the accessors, which cache reflection results. */
final class DecisionEvaluationContext extends StandardEvaluationContext {

    private final Variables variables;
    private final RateLimitContext decision;

    DecisionEvaluationContext(StandardEvaluationContext shared, Variables variables, RateLimitContext decision) {
        shared.applyDelegatesTo(this);
        this.variables = variables;
        this.decision = decision;
    }

    @Override
    public @Nullable Object lookupVariable(String name) {
        if (name.equals(Variables.REQUEST)) {
            return decision.request();
        }
        if (decision instanceof SettlementContext outcome && Variables.OUTCOME.contains(name)) {
            return switch (name) {
                case Variables.RESPONSE -> outcome.response();
                case Variables.RESULT -> outcome.result();
                default -> outcome.exception();
            };
        }
        if (name.equals(Variables.KEY) && decision.key() != null) {
            return decision.key();
        }
        Method method = decision.method();
        Integer index = method == null ? null : variables.of(method).get(name);
        if (index == null) {
            return null;
        }
        @Nullable Object[] arguments = decision.arguments();
        return index < arguments.length ? arguments[index] : null;
    }
}
