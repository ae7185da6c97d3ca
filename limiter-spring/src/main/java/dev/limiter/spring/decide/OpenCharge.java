package dev.limiter.spring.decide;

import dev.limiter.Decision;
import dev.limiter.spring.compile.ChargeIf;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.context.SettlementContext;
import dev.limiter.spring.failure.FailureLog;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The charge of a rule with {@code charge-if}, which is refunded depending on the outcome. If the outcome is unknown,
 * it stays charged. Settled once; thread-safe.
 */
final class OpenCharge {

    private final RateLimitRule rule;
    private final ChargeIf chargeIf;
    private final RateLimitContext asked;
    private final Decision decision;
    private final FailureLog failures;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile @Nullable SettlementContext call;

    OpenCharge(RateLimitRule rule, ChargeIf chargeIf, RateLimitContext asked, Decision decision, FailureLog failures) {
        this.rule = rule;
        this.chargeIf = chargeIf;
        this.asked = asked;
        this.decision = decision;
        this.failures = failures;
    }

    /** Returns whether it is settled with the response, rather than with the call. */
    boolean byResponse() {
        return asked.method() == null || chargeIf.byResponse(asked);
    }

    /** Stores the outcome of the call, for a charge that also depends on the response. */
    void remember(@Nullable Object result, @Nullable Throwable exception) {
        call = new SettlementContext(asked, null, result, exception);
    }

    /** Settles the charge after the call; returns true if it was refunded. */
    boolean completed(@Nullable Object result, @Nullable Throwable exception) {
        return settle(new SettlementContext(asked, null, result, exception));
    }

    /** Settles the charge before the response is sent; returns true if it was refunded. */
    boolean answered(ResponseView response) {
        SettlementContext known = call;
        return settle(
                known == null
                        ? new SettlementContext(asked, response, null, null)
                        : new SettlementContext(asked, response, known.result(), known.exception()));
    }

    /** Refunds the permits without evaluating the condition, because the outcome is unknown. */
    void giveBack() {
        if (settled.compareAndSet(false, true)) {
            decision.giveBack();
        }
    }

    /** Marks the charge as settled, because it was refunded for another reason. */
    void drop() {
        settled.set(true);
    }

    private boolean settle(SettlementContext outcome) {
        if (!settled.compareAndSet(false, true)) {
            return false;
        }
        try {
            if (chargeIf.evaluate(outcome)) {
                return false;
            }
            decision.giveBack();
            return true;
        } catch (RuntimeException | Error failure) {
            failures.error(
                    rule.name() + ".charge-if",
                    "charge-if of rule " + rule + " failed for " + asked.resource() + "; the request stays charged",
                    failure);
            return false;
        }
    }
}
