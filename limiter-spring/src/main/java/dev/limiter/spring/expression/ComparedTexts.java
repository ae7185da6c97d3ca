package dev.limiter.spring.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpGE;
import org.springframework.expression.spel.ast.OpGT;
import org.springframework.expression.spel.ast.OpLE;
import org.springframework.expression.spel.ast.OpLT;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.StringLiteral;

/** Finds numbers and switches that are compared with a text, and texts with one of those: SpEL converts neither, so that they are never equal. */
final class ComparedTexts {

    private static final List<Class<? extends SpelNode>> COMPARISONS =
            List.of(OpEQ.class, OpNE.class, OpLT.class, OpLE.class, OpGT.class, OpGE.class);

    private ComparedTexts() {}

    /**
     * @throws IllegalStateException that says how the value is written instead
     */
    static void check(SpelNode node, ValueTypes types) {
        if (COMPARISONS.contains(node.getClass())) {
            check(types.of(node.getChild(0)), node.getChild(1));
            check(types.of(node.getChild(1)), node.getChild(0));
        }
    }

    private static void check(@Nullable Class<?> type, SpelNode text) {
        if (type == String.class && text instanceof Literal literal) {
            Object value = literal.getLiteralValue().getValue();
            if (value != null && isOther(value.getClass())) {
                throw new IllegalStateException("it compares a text with " + value
                        + ", and the two are never equal. Write '" + value + "' in quotes");
            }
        }
        if (text instanceof StringLiteral && type != null && isOther(type)) {
            throw new IllegalStateException("it compares a value of type " + type.getSimpleName() + " with the text "
                    + text.toStringAST() + ", and the two are never equal. Write "
                    + ((StringLiteral) text).getLiteralValue().getValue() + " without quotes");
        }
    }

    private static boolean isOther(Class<?> type) {
        return Number.class.isAssignableFrom(type) || type == Boolean.class;
    }
}
