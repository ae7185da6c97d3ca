package dev.limiter.spring.expression;

import dev.limiter.spring.failure.DidYouMean;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
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

    References(ExpressionScope scope, BeanFactory beans) {
        this.scope = scope;
        this.beans = beans;
    }

    /**
     * @throws IllegalArgumentException that says what is unknown
     */
    void check(Expression expression) {
        if (expression instanceof SpelExpression spel) {
            check(spel.getAST(), false, false);
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
        if (node instanceof Assign) {
            throw new IllegalArgumentException("\"" + text + "\" assigns a value; write == to compare");
        } else if (node instanceof BeanReference) {
            checkBean(text);
        } else if (node instanceof FunctionReference) {
            throw new IllegalArgumentException(text + " is unknown: there are no functions");
        } else if (!known && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is unknown; variables start with # and beans with @; there are " + scope);
        }
    }

    /** The members of {@code #request} and {@code #response} that are read directly. */
    private void checkMembers(SpelNode node) {
        if (node instanceof CompoundExpression) {
            String member = node.getChild(1).toStringAST().replaceFirst("\\(.*", "");
            switch (node.getChild(0).toStringAST()) {
                case "#" + Variables.REQUEST -> scope.checkRequest(member);
                case "#" + Variables.RESPONSE -> scope.checkResponse(member);
                default -> {}
            }
        }
    }

    /** Rules have no root object: SpEL takes it for null, and {@code #this} too but for an element. */
    private void checkVariable(String name, boolean inElements) {
        boolean element = inElements && name.equals("this");
        if (!element && (name.equals("root") || name.equals("this"))) {
            throw new IllegalArgumentException(
                    "#" + name + " is unknown, since there is no root object; begin with #request");
        }
        if (!element && !scope.contains(name)) {
            throw new IllegalArgumentException(
                    "#" + name + " is unknown; there are " + scope + "." + scope.suggestion(name));
        }
    }

    private void checkBean(String text) {
        String name = text.replaceFirst("^[@&]+", "").replaceAll("^'|'$", "");
        if (!beans.containsBean(name)) {
            throw new IllegalArgumentException("There is no bean named \"" + name + "\"." + suggestion(name));
        }
    }

    private String suggestion(String name) {
        return beans instanceof ListableBeanFactory listable
                ? DidYouMean.ask(name, List.of(listable.getBeanDefinitionNames()))
                : "";
    }
}
