package dev.limiter.spring.expression;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Parses SpEL, written bare ({@code #request.path}, {@code @plans.of(#request)}) or as {@code #{...}}. Expressions come
 * from the configuration and annotations, never from a client.
 */
public final class LimiterExpressionParser {

    // Interpreted: compiled SpEL specializes on the first types, and gains little for short expressions.
    private final SpelExpressionParser parser =
            new SpelExpressionParser(new SpelParserConfiguration(SpelCompilerMode.OFF, null));

    private final BeanFactory beans;
    private final StandardEvaluationContext shared = new StandardEvaluationContext();
    private final Variables variables = new Variables();

    public LimiterExpressionParser(BeanFactory beans) {
        this.beans = beans;
        shared.setBeanResolver(new BeanFactoryResolver(beans));
    }

    /**
     * Parses an expression.
     *
     * @param where the property or annotation that contains it, for messages
     * @param scope the variables that it can refer to
     * @throws LimiterConfigurationException if it is empty, cannot be parsed, or refers to something unknown
     */
    public LimiterExpression parse(String text, String where, ExpressionScope scope) {
        String trimmed = text.strip();
        if (trimmed.isEmpty()) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.EXPRESSION,
                    where,
                    text,
                    "The expression is empty. Quote it: in YAML, an unquoted # starts a comment. Example:"
                            + " \"#request.path\""));
        }
        try {
            Expression expression = trimmed.startsWith("#{")
                    ? parser.parseExpression(trimmed, ParserContext.TEMPLATE_EXPRESSION)
                    : parser.parseExpression(trimmed);
            new References(scope, beans).check(expression);
            return new LimiterExpression(expression, where, shared, variables);
        } catch (ExpressionException | IllegalArgumentException | ArithmeticException exception) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.EXPRESSION,
                    where,
                    text,
                    "The expression is invalid: " + sentence(String.valueOf(exception.getMessage()))
                            + " Write SpEL over #request or the method's parameters, such as \"#request.path\"."));
        }
    }

    private static String sentence(String message) {
        return message.endsWith("?") || message.endsWith(".") ? message : message + ".";
    }
}
