package dev.limiter.spring.expression;

import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpGE;
import org.springframework.expression.spel.ast.OpGT;
import org.springframework.expression.spel.ast.OpLE;
import org.springframework.expression.spel.ast.OpLT;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorBetween;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;

/**
 * Finds values that are compared though their types make them never equal, since SpEL converts neither, and operands
 * of {@code and}, {@code or} and {@code not} that are no conditions.
 */
final class OperandCheck {

    private static final List<Class<? extends SpelNode>> EQUALITY = List.of(OpEQ.class, OpNE.class);
    private static final List<Class<? extends SpelNode>> ORDER =
            List.of(OpLT.class, OpLE.class, OpGT.class, OpGE.class);

    /** {@code type}: of the value, primitive where there always is one; null if it is not known. */
    private record Operand(
            SpelNode node, String text, @Nullable Class<?> type) {

        boolean isOf(Class<?> wanted) {
            return type != null && wanted.isAssignableFrom(MemberTypes.boxed(type));
        }

        boolean isLiteralOf(Class<?> wanted) {
            return node instanceof Literal && isOf(wanted);
        }

        String name() {
            return type == null ? "Object" : MemberTypes.boxed(type).getSimpleName();
        }
    }

    private final ValueTypes types;

    OperandCheck(ValueTypes types) {
        this.types = types;
    }

    /**
     * @throws IllegalStateException that says what is written instead
     */
    void check(SpelNode node) {
        if (EQUALITY.contains(node.getClass())) {
            compare(operand(node.getChild(0)), operand(node.getChild(1)), false);
        } else if (ORDER.contains(node.getClass())) {
            order(operand(node.getChild(0)), operand(node.getChild(1)));
        } else if (node instanceof OperatorBetween && node.getChild(1) instanceof InlineList bounds) {
            for (int i = 0; i < bounds.getChildCount(); i++) {
                order(operand(node.getChild(0)), operand(bounds.getChild(i)));
            }
        } else if (node instanceof CompoundExpression) {
            calls(node);
        } else if (node instanceof OpAnd || node instanceof OpOr) {
            condition(node.getChild(0), node.getChild(1));
            condition(node.getChild(1), node.getChild(0));
        } else if (node instanceof OperatorNot || node instanceof Ternary) {
            condition(node.getChild(0), node);
        }
    }

    private Operand operand(SpelNode node) {
        return new Operand(node, node.toStringAST(), types.declared(node));
    }

    /** Classes of the application may compare themselves with any other. */
    private static void order(Operand one, Operand other) {
        boolean own = one.type != null && !MemberTypes.boxed(one.type).getName().startsWith("java.");
        if (!own && one.type != void.class && other.type != void.class) {
            compare(one, other, false);
        }
    }

    /** Calls of {@code equals}, and of {@code contains} on a list that is written out: neither converts numbers. */
    private void calls(SpelNode compound) {
        for (int i = 1; i < compound.getChildCount(); i++) {
            if (compound.getChild(i) instanceof MethodReference call && call.getChildCount() == 1) {
                SpelNode before = compound.getChild(i - 1);
                Operand argument = operand(call.getChild(0));
                if (call.getName().equals("equals")) {
                    String text = compound.toStringAST();
                    String owner = text.substring(0, text.indexOf(call.toStringAST()) - 1);
                    compare(new Operand(before, owner, types.upTo(compound, i)), argument, true);
                } else if (call.getName().equals("contains") && before instanceof InlineList list) {
                    for (int element = 0; element < list.getChildCount(); element++) {
                        compare(operand(list.getChild(element)), argument, true);
                    }
                }
            }
        }
    }

    /** {@code exactly}: whether numbers of two types differ. */
    private static void compare(Operand one, Operand other, boolean exactly) {
        if (!exactly && (neverNull(one, other) || neverNull(other, one))) {
            throw new IllegalStateException("it compares " + (one.type == void.class ? other : one).text
                    + ", which is never null, with null, and the two are never equal. Remove the comparison");
        }
        if (one.type == null || other.type == null || one.type == void.class || other.type == void.class) {
            return;
        }
        if (!mayBeEqual(MemberTypes.boxed(one.type), MemberTypes.boxed(other.type), exactly)) {
            throw new IllegalStateException(
                    "it compares " + both(one, other) + ", and the two are never equal. " + advice(one, other));
        }
    }

    private static boolean neverNull(Operand one, Operand other) {
        return one.type != null && one.type != void.class && one.type.isPrimitive() && other.type == void.class;
    }

    private static boolean mayBeEqual(Class<?> one, Class<?> other, boolean exactly) {
        if (one.isAssignableFrom(other) || other.isAssignableFrom(one)) {
            return true;
        }
        if (!exactly && (areBoth(Number.class, one, other) || areBoth(CharSequence.class, one, other))) {
            return true;
        }
        return one.isInterface() && !Modifier.isFinal(other.getModifiers())
                || other.isInterface() && !Modifier.isFinal(one.getModifiers());
    }

    private static boolean areBoth(Class<?> type, Class<?> one, Class<?> other) {
        return type.isAssignableFrom(one) && type.isAssignableFrom(other);
    }

    private static String both(Operand one, Operand other) {
        if (one.node instanceof StringLiteral) {
            return "a value of type " + other.name() + " with the text " + one.text;
        }
        if (other.node instanceof StringLiteral) {
            return "a value of type " + one.name() + " with the text " + other.text;
        }
        return one.isOf(String.class) && other.node instanceof Literal
                ? "a text with " + other.text
                : other.isOf(String.class) && one.node instanceof Literal
                        ? "a text with " + one.text
                        : "a value of type " + one.name() + " with one of type " + other.name();
    }

    private static String advice(Operand one, Operand other) {
        String advice = advised(one, other);
        if (advice == null) {
            advice = advised(other, one);
        }
        return advice == null ? "Compare values of one type" : advice;
    }

    /** The way to write the first of two operands, so that it fits the other; null if there is none. */
    private static @Nullable String advised(Operand one, Operand other) {
        boolean plain = other.isOf(Number.class) || other.isOf(Boolean.class);
        if (one.node instanceof StringLiteral literal && plain) {
            return "Write " + literal.getLiteralValue().getValue() + " without quotes";
        }
        if ((one.isLiteralOf(Number.class) || one.isLiteralOf(Boolean.class)) && other.isOf(String.class)) {
            return "Write '" + one.text + "' in quotes";
        }
        if (one.isOf(Collection.class)) {
            return "Write " + one.text + ".contains(" + other.text + ")";
        }
        Set<String> members = one.type == null || other.type == null
                ? Set.of()
                : MemberTypes.giving(MemberTypes.boxed(one.type), MemberTypes.boxed(other.type));
        return members.isEmpty()
                ? null
                : "Write " + (one.text.startsWith("T(") && plain ? "the value itself, such as 401, or " : "")
                        + members.stream()
                                .map(member -> one.text + "." + member)
                                .collect(Collectors.joining(" or "));
    }

    /** {@code beside}: the other operand, or the operator if that has no other. */
    private void condition(SpelNode node, SpelNode beside) {
        Operand operand = operand(node);
        if (ValueTypes.mayBe(operand.type, Boolean.class)) {
            return;
        }
        String is = operand.type == void.class
                ? " never has a value, so that it is"
                : node instanceof Literal ? " is" : " is of type " + operand.name() + " and";
        throw new IllegalStateException("it takes " + operand.text + " for a condition, but that" + is
                + " neither true nor false. " + compared(operand, beside));
    }

    private static String compared(Operand operand, SpelNode beside) {
        SpelNode comparison = operand.node instanceof Literal ? comparison(beside) : null;
        if (comparison instanceof Operator operator) {
            return "Repeat the comparison: " + comparison.getChild(0).toStringAST() + " " + operator.getOperatorName()
                    + " " + operand.text;
        }
        if (operand.node instanceof Literal) {
            return "Compare something with it";
        }
        String example = operand.text
                + (operand.isOf(Number.class) ? " == 1" : operand.isOf(String.class) ? " == 'x'" : " != null");
        return beside instanceof OperatorNot
                ? "! is about what follows it alone. Write !(" + example + ")"
                : "Compare it with something, such as " + example;
    }

    /** The first comparison of a condition; null if there is none. */
    private static @Nullable SpelNode comparison(SpelNode node) {
        if (EQUALITY.contains(node.getClass()) || ORDER.contains(node.getClass())) {
            return node;
        }
        return node instanceof OpAnd || node instanceof OpOr ? comparison(node.getChild(0)) : null;
    }
}
