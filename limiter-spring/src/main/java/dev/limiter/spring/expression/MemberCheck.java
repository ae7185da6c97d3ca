package dev.limiter.spring.expression;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;

/**
 * Finds types and members that there are not, and assignments, in an expression: at the start rather than with the
 * first request. Of what is not declared, says nothing.
 */
final class MemberCheck {

    private final ValueTypes types;
    private final OperandCheck operands;

    MemberCheck(ValueTypes types) {
        this.types = types;
        this.operands = new OperandCheck(types);
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
        types.of(node);
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i));
        }
        operands.check(node);
    }
}
