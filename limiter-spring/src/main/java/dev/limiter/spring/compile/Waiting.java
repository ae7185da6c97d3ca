package dev.limiter.spring.compile;

import dev.limiter.Charge;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.BooleanExpression;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for a turn instead of being rejected, and their priority. Immutable, thread-safe.
 *
 * @param maxWait the longest wait; zero if no request waits
 * @param maxWaiting the most requests that wait at the same time
 * @param priority true for requests that may use the reserve and, alone, wait; null if all requests are alike
 * @param reserve the share of each limit kept for requests with priority, in percent
 */
record Waiting(Duration maxWait, int maxWaiting, @Nullable BooleanExpression priority, int reserve) {

    boolean isPossible() {
        return !maxWait.isZero();
    }

    /** Whether all requests are treated the same. */
    boolean isFixed() {
        return priority == null;
    }

    /** The charge on the terms of a request with priority; of any request, if there is no priority. */
    Charge first(Charge charge) {
        return maxWait.isZero() ? charge : charge.maxWait(maxWait).maxWaiting(maxWaiting);
    }

    /**
     * The charge on the terms of the request.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if the priority cannot be evaluated
     */
    Charge apply(Charge charge, RateLimitContext context) {
        return priority == null || priority.evaluate(context) ? first(charge) : charge.reserve(reserve);
    }
}
