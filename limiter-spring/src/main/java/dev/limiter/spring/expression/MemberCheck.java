package dev.limiter.spring.expression;

import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/**
 * Finds members that there are not, and assignments, in an expression: at the start rather than with the first
 * request. Goes from the variables and beans, whose types are declared, along what they have; where a type is not
 * known, says nothing.
 */
final class MemberCheck {

    private final ExpressionScope scope;
    private final BeanFactory beans;

    MemberCheck(ExpressionScope scope, BeanFactory beans) {
        this.scope = scope;
        this.beans = beans;
    }

    /**
     * @throws IllegalStateException that says what is wrong
     */
    void check(SpelNode node) {
        if (node instanceof Assign) {
            throw new IllegalStateException("= assigns a value, which rules cannot; write == to compare");
        }
        if (node instanceof OpInc || node instanceof OpDec) {
            throw new IllegalStateException("++ and -- assign a value, which rules cannot");
        }
        if (node instanceof CompoundExpression) {
            checkMembers(node);
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i));
        }
    }

    private void checkMembers(SpelNode compound) {
        SpelNode root = compound.getChild(0);
        Class<?> type = root(root);
        boolean open = root instanceof BeanReference && !isExact(References.beanName(root), type);
        for (int i = 1; i < compound.getChildCount() && type != null; i++) {
            type = member(type, open, compound.getChild(i));
            open = false;
        }
    }

    private @Nullable Class<?> root(SpelNode node) {
        if (node instanceof VariableReference) {
            return MemberTypes.known(scope.type(node.toStringAST().substring(1)));
        }
        return node instanceof BeanReference ? bean(References.beanName(node)) : null;
    }

    /**
     * The declared class of a bean, which is not made for that; null if it is not known, or known by interfaces only.
     */
    private @Nullable Class<?> bean(String name) {
        Class<?> type = beans.getType(name, false);
        return type == null || Proxy.isProxyClass(type) ? null : MemberTypes.known(ClassUtils.getUserClass(type));
    }

    /** Whether the bean is of that very class: what a factory method declares may be less than it makes. */
    private boolean isExact(String name, @Nullable Class<?> type) {
        if (type == null
                || !(beans instanceof ConfigurableListableBeanFactory factory)
                || !factory.containsBeanDefinition(name)
                || !(factory.getMergedBeanDefinition(name) instanceof AbstractBeanDefinition definition)) {
            return false;
        }
        return definition.getFactoryMethodName() == null
                && definition.getInstanceSupplier() == null
                && type.getName().equals(definition.getBeanClassName());
    }

    /** The type of a member; null if it is not known, as of elements of collections. */
    private static @Nullable Class<?> member(Class<?> owner, boolean open, SpelNode node) {
        if (node instanceof PropertyOrFieldReference property) {
            return MemberTypes.property(owner, open, property.getName());
        }
        return node instanceof MethodReference method
                ? MemberTypes.method(owner, open, method.getName(), method.getChildCount())
                : null;
    }
}
