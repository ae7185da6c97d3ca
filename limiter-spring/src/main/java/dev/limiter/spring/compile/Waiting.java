package dev.limiter.spring.compile;

import dev.limiter.Charge;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.BooleanExpression;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options for waiting and priority. Immutable, thread-safe.
 *
 * @param maxWait the longest wait; zero if no request waits
 * @param maxWaiting the most requests that wait at the same time
 * @param priority true for requests that may use the reserve; only they wait. Null without priorities
 * @param reserve the share of each limit kept for requests with priority, in percent
 */
record Waiting(Duration maxWait, int maxWaiting, @Nullable BooleanExpression priority, int reserve) {

    boolean isPossible() {
        return !maxWait.isZero();
    }

    /** Returns whether all requests have the same priority. */
    boolean isFixed() {
        return priority == null;
    }

    /** Returns the charge of a request with priority; without priorities, of any request. */
    Charge first(Charge charge) {
        return maxWait.isZero() ? charge : charge.maxWait(maxWait).maxWaiting(maxWaiting);
    }

    /**
     * Returns the charge with the wait and reserve of the request.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if the priority cannot be evaluated
     */
    Charge apply(Charge charge, RateLimitContext context) {
        return priority == null || priority.evaluate(context) ? first(charge) : charge.reserve(reserve);
    }
}
