package dev.limiter.spring.expression;

import dev.limiter.spring.failure.DidYouMean;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Finds what an expression refers to and there is not. SpEL itself takes an unknown variable for null, so that a
 * misspelled name would put all clients into one bucket.
 */
final class References {

    private final ExpressionScope scope;
    private final BeanFactory beans;
    private final ValueTypes types;

    References(ExpressionScope scope, BeanFactory beans, ValueTypes types) {
        this.scope = scope;
        this.beans = beans;
        this.types = types;
    }

    /**
     * @throws IllegalStateException that says what is unknown
     */
    void check(Expression expression) {
        if (expression instanceof SpelExpression spel) {
            check(spel.getAST(), false, false);
            new MemberCheck(types).check(spel.getAST());
        } else if (expression instanceof CompositeStringExpression composite) {
            for (Expression part : composite.getExpressions()) {
                check(part);
            }
        }
    }

    /**
     * @param known whether a name is a property of some object, and so unknown before it runs
     * @param inElements whether the expression is about the elements of a collection, whose names are not known either
     */
    private void check(SpelNode node, boolean known, boolean inElements) {
        if (node instanceof VariableReference) {
            checkVariable(node.toStringAST().substring(1), inElements);
        }
        checkNode(node, known || inElements);
        checkMembers(node);
        boolean elements = inElements || node instanceof Selection || node instanceof Projection;
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            boolean property = node instanceof CompoundExpression && i > 0;
            boolean mapKey =
                    (node instanceof Indexer || node instanceof InlineMap) && child instanceof PropertyOrFieldReference;
            check(child, property || mapKey, elements);
        }
    }

    private void checkNode(SpelNode node, boolean known) {
        String text = node.toStringAST();
        if (node instanceof BeanReference) {
            checkBean(text);
        } else if (node instanceof FunctionReference) {
            throw new IllegalStateException(text + " is unknown: there are no functions");
        } else if (!known && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            throw new IllegalStateException(
                    "\"" + text + "\" is unknown; variables start with # and beans with @; there are " + scope);
        }
    }

    /** The members of {@code #request} that are read directly. */
    private void checkMembers(SpelNode node) {
        for (int i = 1; node instanceof CompoundExpression && i < node.getChildCount(); i++) {
            if (node.getChild(i - 1).toStringAST().equals("#" + Variables.REQUEST)) {
                scope.checkMember(node.getChild(i).toStringAST().replaceFirst("\\(.*", ""));
            }
        }
    }

    /** Rules have no root object: SpEL takes it for null, and {@code #this} too but for an element. */
    private void checkVariable(String name, boolean inElements) {
        boolean element = inElements && name.equals("this");
        if (!element && (name.equals("root") || name.equals("this"))) {
            throw new IllegalStateException(
                    "#" + name + " is unknown, since there is no root object; begin with #request");
        }
        if (!element && !scope.contains(name)) {
            throw new IllegalStateException(
                    "#" + name + " is unknown; there are " + scope + "." + scope.suggestion(name));
        }
    }

    private void checkBean(String text) {
        String name = beanName(text);
        if (!beans.containsBean(name)) {
            throw new IllegalStateException("There is no bean named \"" + name + "\"." + suggestion(name));
        }
    }

    static String beanName(SpelNode reference) {
        return beanName(reference.toStringAST());
    }

    private static String beanName(String reference) {
        return reference.replaceFirst("^[@&]+", "").replaceAll("^'|'$", "");
    }

    private String suggestion(String name) {
        return beans instanceof ListableBeanFactory listable
                ? DidYouMean.ask(name, List.of(listable.getBeanDefinitionNames()))
                : "";
    }
}
