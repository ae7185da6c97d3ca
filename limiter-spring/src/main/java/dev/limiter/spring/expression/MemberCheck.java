package dev.limiter.spring.expression;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Finds members that there are not, and assignments, in an expression: at the start rather than with the first request. Goes
 * from the variables, whose types are declared, along what they have; where a type is not known, says nothing.
 */
final class MemberCheck {

    private final ExpressionScope scope;

    MemberCheck(ExpressionScope scope) {
        this.scope = scope;
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
        Class<?> type = root(compound.getChild(0));
        for (int i = 1; i < compound.getChildCount() && type != null; i++) {
            type = member(type, compound.getChild(i));
        }
    }

    private @Nullable Class<?> root(SpelNode node) {
        return node instanceof VariableReference
                ? MemberTypes.known(scope.type(node.toStringAST().substring(1)))
                : null;
    }

    /** The type of a member; null if it is not known, as of elements of collections. */
    private static @Nullable Class<?> member(Class<?> owner, SpelNode node) {
        if (node instanceof PropertyOrFieldReference property) {
            return MemberTypes.property(owner, property.getName());
        }
        return node instanceof MethodReference method
                ? MemberTypes.method(owner, method.getName(), method.getChildCount())
                : null;
    }
}
