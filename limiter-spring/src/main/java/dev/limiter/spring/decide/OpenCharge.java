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
 * The charge of a rule with {@code charge-if}: returned if the request or call turns out not to be charged for. A
 * charge of unknown outcome stays. Settled once; thread-safe.
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

    /** Whether it waits for the answer to the request: there is no call, or more than that is to be known. */
    boolean byResponse() {
        return asked.method() == null || chargeIf.byResponse(asked);
    }

    /** Remembers how the call went, for a charge that also depends on the answer. */
    void remember(@Nullable Object result, @Nullable Throwable exception) {
        call = new SettlementContext(asked, null, result, exception);
    }

    /** The call is over; true if this returned what was taken. */
    boolean completed(@Nullable Object result, @Nullable Throwable exception) {
        return settle(new SettlementContext(asked, null, result, exception));
    }

    /** The answer is about to be sent; true if this returned what was taken. */
    boolean answered(ResponseView response) {
        SettlementContext known = call;
        return settle(
                known == null
                        ? new SettlementContext(asked, response, null, null)
                        : new SettlementContext(asked, response, known.result(), known.exception()));
    }

    /** Permits are returned without asking whether to charge for the request: that cannot be known. */
    void giveBack() {
        if (settled.compareAndSet(false, true)) {
            decision.giveBack();
        }
    }

    /** It was returned for another reason. */
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
                    "Whether to charge for " + asked.resource() + " under rule " + rule
                            + " cannot be decided; it stays charged",
                    failure);
            return false;
        }
    }
}
