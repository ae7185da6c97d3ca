package dev.limiter.spring.expression;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.SettlementContext;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The variables of one decision over accessors that all share: those cache what they find by reflection, and a new
 * {@link StandardEvaluationContext} for each decision would find it anew.
 */
final class DecisionEvaluationContext implements EvaluationContext {

    private final StandardEvaluationContext shared;
    private final Variables variables;
    private final RateLimitContext decision;

    DecisionEvaluationContext(StandardEvaluationContext shared, Variables variables, RateLimitContext decision) {
        this.shared = shared;
        this.variables = variables;
        this.decision = decision;
    }

    @Override
    public @Nullable Object lookupVariable(String name) {
        if (name.equals(Variables.REQUEST)) {
            return decision.request();
        }
        if (decision instanceof SettlementContext outcome && Variables.OUTCOME.contains(name)) {
            return outcome(name, outcome);
        }
        Method method = decision.method();
        int index = method == null ? -1 : variables.parameterIndex(method, name);
        if (index < 0) {
            return null;
        }
        @Nullable Object[] arguments = decision.arguments();
        return index < arguments.length ? arguments[index] : null;
    }

    private static @Nullable Object outcome(String name, SettlementContext outcome) {
        return switch (name) {
            case Variables.RESPONSE -> outcome.response();
            case Variables.RESULT -> outcome.result();
            default -> outcome.exception();
        };
    }

    @Override
    public void setVariable(String name, @Nullable Object value) {
        throw new UnsupportedOperationException("Expressions of rules cannot set variables");
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }

    @Override
    public TypedValue getRootObject() {
        return TypedValue.NULL;
    }

    @Override
    public List<PropertyAccessor> getPropertyAccessors() {
        return shared.getPropertyAccessors();
    }

    @Override
    public List<IndexAccessor> getIndexAccessors() {
        return shared.getIndexAccessors();
    }

    @Override
    public List<ConstructorResolver> getConstructorResolvers() {
        return shared.getConstructorResolvers();
    }

    @Override
    public List<MethodResolver> getMethodResolvers() {
        return shared.getMethodResolvers();
    }

    @Override
    public @Nullable BeanResolver getBeanResolver() {
        return shared.getBeanResolver();
    }

    @Override
    public TypeLocator getTypeLocator() {
        return shared.getTypeLocator();
    }

    @Override
    public TypeConverter getTypeConverter() {
        return shared.getTypeConverter();
    }

    @Override
    public TypeComparator getTypeComparator() {
        return shared.getTypeComparator();
    }

    @Override
    public OperatorOverloader getOperatorOverloader() {
        return shared.getOperatorOverloader();
    }
}
