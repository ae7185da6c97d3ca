package dev.limiter.spring.compiled;

import dev.limiter.Charge;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.BooleanExpression;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for a turn instead of being refused, and who goes first. Immutable, thread-safe.
 *
 * @param maxWait for how long; zero if nobody waits
 * @param maxWaiting how many at the same time
 * @param priority true for those who may have all and, alone, wait; null if all are the same
 * @param reserve the share of each limit that is kept for them, in percent
 */
public record Waiting(
        Duration maxWait, int maxWaiting, @Nullable BooleanExpression priority, int reserve) {

    static final Waiting NONE = new Waiting(Duration.ZERO, Integer.MAX_VALUE, null, 0);

    boolean isPossible() {
        return !maxWait.isZero();
    }

    /** Whether all who ask are treated the same. */
    boolean isFixed() {
        return priority == null;
    }

    /** The charge on the terms of somebody with priority; of anybody, if there is no priority. */
    Charge first(Charge charge) {
        return isPossible() ? charge.within(maxWait).waitingAtMost(maxWaiting) : charge;
    }

    /**
     * The charge on the terms of the one who asks.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if the priority cannot be evaluated
     */
    Charge apply(Charge charge, RateLimitContext context) {
        return priority == null || priority.evaluate(context) ? first(charge) : charge.keeping(reserve);
    }
}
