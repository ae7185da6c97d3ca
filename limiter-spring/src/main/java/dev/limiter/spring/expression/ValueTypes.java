package dev.limiter.spring.expression;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpGE;
import org.springframework.expression.spel.ast.OpGT;
import org.springframework.expression.spel.ast.OpLE;
import org.springframework.expression.spel.ast.OpLT;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.OperatorBetween;
import org.springframework.expression.spel.ast.OperatorInstanceof;
import org.springframework.expression.spel.ast.OperatorMatches;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.OperatorPower;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/**
 * The types of the values that parts of an expression give, as far as they are declared: those of literals, operators,
 * variables, beans, types, and along their members.
 */
final class ValueTypes {

    private static final List<Class<? extends SpelNode>> CONDITIONS = List.of(
            OpEQ.class,
            OpNE.class,
            OpLT.class,
            OpLE.class,
            OpGT.class,
            OpGE.class,
            OpAnd.class,
            OpOr.class,
            OperatorNot.class,
            OperatorInstanceof.class,
            OperatorMatches.class,
            OperatorBetween.class);

    private static final List<Class<? extends SpelNode>> ARITHMETIC = List.of(
            OpPlus.class, OpMinus.class, OpMultiply.class, OpDivide.class, OpModulus.class, OperatorPower.class);

    private final ExpressionScope scope;
    private final BeanFactory beans;
    private final EvaluationContext shared;

    /** {@code shared}: finds types by their names. */
    ValueTypes(ExpressionScope scope, BeanFactory beans, EvaluationContext shared) {
        this.scope = scope;
        this.beans = beans;
        this.shared = shared;
    }

    /**
     * The type of the value, boxed: the object is of it or a subtype, or null. {@code void} where there never is a
     * value; null if nothing is known.
     *
     * @throws IllegalStateException if it has a type or member that there is not
     */
    @Nullable
    Class<?> of(SpelNode node) {
        return boxed(declared(node));
    }

    /** Like {@link #of}, but primitive where the value certainly is not null. */
    @Nullable
    Class<?> declared(SpelNode node) {
        if (node instanceof Literal literal) {
            Object value = literal.getLiteralValue().getValue();
            return value == null ? void.class : value.getClass();
        }
        if (CONDITIONS.contains(node.getClass())) {
            return boolean.class;
        }
        if (ARITHMETIC.contains(node.getClass())) {
            return result(node);
        }
        if (node instanceof Ternary) {
            return common(of(node.getChild(1)), of(node.getChild(2)));
        }
        if (node instanceof Elvis) {
            return common(of(node.getChild(0)), of(node.getChild(1)));
        }
        if (node instanceof InlineList) {
            return List.class;
        }
        if (node instanceof InlineMap) {
            return Map.class;
        }
        return node instanceof CompoundExpression ? upTo(node, node.getChildCount()) : named(node);
    }

    /** Whether a value of the type may be of another one; not if it certainly is none, or there never is a value. */
    static boolean mayBe(@Nullable Class<?> declared, Class<?> wanted) {
        Class<?> type = boxed(declared);
        if (type == null || wanted.isAssignableFrom(type)) {
            return true;
        }
        boolean foreign = type.isInterface() && !type.getName().startsWith("java.");
        boolean open = foreign && !Modifier.isFinal(wanted.getModifiers());
        return open || type.isAssignableFrom(wanted);
    }

    private static @Nullable Class<?> boxed(@Nullable Class<?> type) {
        return type == null ? null : MemberTypes.boxed(type);
    }

    /** The type of what stands for itself. */
    private @Nullable Class<?> named(SpelNode node) {
        if (node instanceof VariableReference) {
            return boxed(MemberTypes.declared(scope.type(node.toStringAST().substring(1))));
        }
        if (node instanceof BeanReference) {
            return bean(node);
        }
        if (node instanceof TypeReference) {
            type(node);
            return Class.class;
        }
        if (node instanceof ConstructorReference) {
            checkType(node.getChild(0).toStringAST());
        }
        return null;
    }

    /** Texts are joined, numbers give a number; anything else may be read as either. */
    private @Nullable Class<?> result(SpelNode operator) {
        boolean texts = false;
        boolean numbers = true;
        for (int i = 0; i < operator.getChildCount(); i++) {
            Class<?> operand = of(operator.getChild(i));
            texts = texts || operand == String.class;
            numbers = numbers && operand != null && Number.class.isAssignableFrom(operand);
        }
        if (numbers) {
            return Number.class;
        }
        return texts && operator instanceof OpPlus ? String.class : null;
    }

    private static @Nullable Class<?> common(@Nullable Class<?> one, @Nullable Class<?> other) {
        if (one == null || other == null) {
            return null;
        }
        boolean numbers = Number.class.isAssignableFrom(one) && Number.class.isAssignableFrom(other);
        return one == other ? one : numbers ? Number.class : null;
    }

    /** The type of what the first parts of a chain of members give, as {@link #declared}. */
    @Nullable
    Class<?> upTo(SpelNode compound, int count) {
        SpelNode root = compound.getChild(0);
        if (count == 1) {
            return declared(root);
        }
        boolean maybe = false;
        int next = root instanceof TypeReference ? 2 : 1;
        Class<?> type = next == 1 ? of(root) : ofType(type(root), compound.getChild(1));
        boolean open = root instanceof BeanReference && !isExact(References.beanName(root), type);
        for (int i = next; i < count; i++) {
            Class<?> owner = MemberTypes.known(boxed(type));
            if (owner == null) {
                return null;
            }
            maybe = maybe || compound.getChild(i) instanceof SpelNodeImpl member && member.isNullSafe();
            type = member(owner, open, compound.getChild(i));
            open = false;
        }
        return maybe ? boxed(type) : type;
    }

    /** Null if it is not known, as of elements of collections. */
    private static @Nullable Class<?> member(Class<?> owner, boolean open, SpelNode node) {
        if (node instanceof PropertyOrFieldReference property) {
            return MemberTypes.property(owner, open, property.getName());
        }
        return node instanceof MethodReference method
                ? MemberTypes.method(owner, open, method.getName(), method.getChildCount())
                : null;
    }

    private static @Nullable Class<?> ofType(Class<?> type, SpelNode node) {
        if (node instanceof PropertyOrFieldReference property) {
            return MemberTypes.staticProperty(type, property.getName());
        }
        return node instanceof MethodReference method
                ? MemberTypes.staticMethod(type, method.getName(), method.getChildCount())
                : null;
    }

    private Class<?> type(SpelNode reference) {
        try {
            Object type = reference.getValue(new ExpressionState(shared));
            if (type instanceof Class<?> found) {
                return found;
            }
        } catch (EvaluationException unknown) {
            // the same message as for what is no class
        }
        throw unknownType(reference.getChild(0).toStringAST());
    }

    private void checkType(String name) {
        try {
            shared.getTypeLocator().findType(name);
        } catch (EvaluationException unknown) {
            throw unknownType(name);
        }
    }

    private static IllegalStateException unknownType(String name) {
        return new IllegalStateException("there is no type " + name
                + ". Write the name with its package, such as java.time.LocalDate; only java.lang needs none.");
    }

    /**
     * The declared class of a bean, which is not made for that; null if it is not known, or known by interfaces only.
     */
    private @Nullable Class<?> bean(SpelNode reference) {
        Class<?> type = beans.getType(References.beanName(reference), false);
        boolean unknown = type == null
                || Proxy.isProxyClass(type)
                || reference.toStringAST().startsWith("&");
        return unknown ? null : ClassUtils.getUserClass(type);
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
}
