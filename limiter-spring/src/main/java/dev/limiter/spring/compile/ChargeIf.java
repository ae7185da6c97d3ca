package dev.limiter.spring.compile;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.context.SettlementContext;
import dev.limiter.spring.expression.BooleanExpression;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpression;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.rule.Setting;
import java.util.function.Predicate;

/** Decides whether permits stay charged, by the outcome of the request or call. Immutable, thread-safe. */
public final class ChargeIf {

    private static final int FIRST_SUCCESS = 200;
    private static final int FIRST_ERROR = 400;

    /**
     * Charges failures only: responses with a status other than 2xx and 3xx, and calls that threw. Handler methods are
     * judged by the response.
     */
    static final ChargeIf FAILED = new ChargeIf(ChargeIf::hasFailed, RateLimitContext::answersRequest);

    private final Predicate<SettlementContext> stays;
    private final Predicate<RateLimitContext> byResponse;

    private ChargeIf(Predicate<SettlementContext> stays, Predicate<RateLimitContext> byResponse) {
        this.stays = stays;
        this.byResponse = byResponse;
    }

    /**
     * Parses {@code failed}, or an expression.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if it is neither
     */
    public static ChargeIf parse(
            Setting<String> setting, LimiterExpressionParser expressions, ExpressionScope variables) {
        if (setting.value().strip().equalsIgnoreCase("failed")) {
            return FAILED;
        }
        LimiterExpression expression = expressions.parse(setting.value(), setting.where(), variables);
        BooleanExpression condition = BooleanExpression.of(expression, "#response.status == 401", true);
        boolean refersToResponse = expression.refersToResponse();
        return new ChargeIf(condition::evaluate, context -> refersToResponse);
    }

    private static boolean hasFailed(SettlementContext outcome) {
        ResponseView response = outcome.response();
        return response != null && outcome.answersRequest()
                ? response.status() < FIRST_SUCCESS || response.status() >= FIRST_ERROR
                : outcome.exception() != null;
    }

    /** Returns whether the outcome depends on the response to the request in this context. */
    public boolean byResponse(RateLimitContext context) {
        return byResponse.test(context);
    }

    /**
     * Returns whether the permits stay charged.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if it cannot be evaluated
     */
    public boolean evaluate(SettlementContext outcome) {
        return stays.test(outcome);
    }
}
