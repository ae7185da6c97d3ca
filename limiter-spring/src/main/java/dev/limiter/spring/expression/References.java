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
 * Finds unknown variables and beans. SpEL evaluates an unknown variable to null, so a misspelled name would put all
 * clients into one bucket.
 */
record References(ExpressionScope scope, BeanFactory beans) {

    /** @throws IllegalArgumentException that names the unknown variable, member or bean */
    void check(Expression expression) {
        if (expression instanceof SpelExpression spel) {
            check(spel.getAST(), true);
        } else if (expression instanceof CompositeStringExpression composite) {
            for (Expression part : composite.getExpressions()) {
                check(part);
            }
        }
    }

    /** {@code root}: true if a name without # would refer to the root object, which rules do not have. */
    private void check(SpelNode node, boolean root) {
        String text = node.toStringAST();
        if (node instanceof VariableReference || node instanceof FunctionReference) {
            checkVariable(text.replaceAll("^#|\\(.*", ""), root);
        } else if (node instanceof BeanReference) {
            checkBean(text.replaceFirst("^[@&]+", "").replaceAll("^'|'$", ""));
        } else if (node instanceof Assign) {
            throw new IllegalArgumentException("\"" + text + "\" assigns a value; write == to compare");
        } else if (root && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is unknown. Variables start with # and beans with @. Known are " + scope);
        }
        boolean elements = node instanceof Selection
                || node instanceof Projection
                || node instanceof Indexer
                || node instanceof InlineMap;
        for (int i = 0; i < node.getChildCount(); i++) {
            if (node instanceof CompoundExpression && i > 0) {
                checkMember(node, i, root);
            } else {
                check(node.getChild(i), root && !elements);
            }
        }
    }

    /** Checks a member of the object to its left, and its arguments. */
    private void checkMember(SpelNode compound, int index, boolean root) {
        SpelNode member = compound.getChild(index);
        if (index == 1 && compound.getChild(0).toStringAST().equals("#" + Variables.REQUEST)) {
            scope.checkRequest(member.toStringAST().replaceFirst("\\(.*", ""));
        }
        if (member instanceof PropertyOrFieldReference || member instanceof MethodReference) {
            for (int i = 0; i < member.getChildCount(); i++) {
                check(member.getChild(i), root);
            }
        } else {
            check(member, root);
        }
    }

    private void checkVariable(String name, boolean root) {
        if (root && name.equals("this") || name.equals("root")) {
            throw new IllegalArgumentException("#" + name + " is unknown. Begin with #request");
        }
        if (!name.equals("this")) {
            scope.checkVariable(name);
        }
    }

    private void checkBean(String name) {
        if (!beans.containsBean(name)) {
            List<String> names =
                    beans instanceof ListableBeanFactory all ? List.of(all.getBeanDefinitionNames()) : List.of();
            throw new IllegalArgumentException("no bean has the name \"" + name + "\"." + DidYouMean.ask(name, names));
        }
    }
}
