package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.failure.FailureLog;
import dev.limiter.spring.key.KeyHash;
import java.time.Duration;
import java.util.List;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Counts each decision, and reports it to listeners. Failures of meters and listeners do not affect the decision, not
 * even errors, because the request would hold its permits forever. Thread-safe.
 */
public final class DecisionReports {

    private static final FailureLog failures = new FailureLog(LogFactory.getLog(DecisionReports.class));

    private final DecisionMeter[] meters;
    private final RateLimitListener[] listeners;
    private final KeyHash hash;

    /** {@code hash}: hashes keys for events. */
    public DecisionReports(List<DecisionMeter> meters, List<RateLimitListener> listeners, KeyHash hash) {
        this.meters = meters.toArray(DecisionMeter[]::new);
        this.listeners = listeners.toArray(RateLimitListener[]::new);
        this.hash = hash;
    }

    /**
     * Reports a decision. {@code charge}: null if the limits of the rule were not checked; {@code decision}: the
     * decision on this rule.
     */
    void decided(
            RateLimitRule rule,
            RuleContexts contexts,
            Outcome outcome,
            @Nullable Charge charge,
            @Nullable Decision decision,
            Duration waited) {
        String resource = contexts.resource(rule);
        for (DecisionMeter meter : meters) {
            try {
                meter.count(rule, resource, outcome, charge, decision, waited);
            } catch (RuntimeException | Error failure) {
                failed(meter, failure);
            }
        }
        RateLimitEvent event = null;
        for (RateLimitListener listener : listeners) {
            try {
                if (listener.hears(outcome)) {
                    event = event == null
                            ? new RateLimitEvent(rule, contexts, outcome, charge, decision, waited, hash)
                            : event;
                    listener.onDecision(event);
                }
            } catch (RuntimeException | Error failure) {
                failed(listener, failure);
            }
        }
    }

    /** Reports a permitted request; {@code waited}: the time that it waited, for rules with a max-wait. */
    void permitted(Verdict verdict, RuleContexts contexts, Duration waited) {
        for (int i = 0; i < verdict.rules.size(); i++) {
            RateLimitRule rule = verdict.rules.get(i);
            Decision part = verdict.part(i);
            Duration own = rule.makesWait() ? waited : Duration.ZERO;
            decided(rule, contexts, Outcome.permitted(part), verdict.charges.get(i), part, own);
        }
    }

    /** Reports the start of a ban; {@code contexts}: null if an operator started it. */
    void banned(RateLimitRule rule, @Nullable RuleContexts contexts, Charge charge, Decision ban) {
        for (DecisionMeter meter : meters) {
            try {
                meter.countBan(rule);
            } catch (RuntimeException | Error failure) {
                failed(meter, failure);
            }
        }
        RateLimitEvent event = new RateLimitEvent(rule, contexts, Outcome.BANNED, charge, ban, Duration.ZERO, hash);
        for (RateLimitListener listener : listeners) {
            try {
                listener.onBan(event);
            } catch (RuntimeException | Error failure) {
                failed(listener, failure);
            }
        }
    }

    private static void failed(Object listener, Throwable failure) {
        failures.error(
                listener.getClass().getName(), "A RateLimitListener failed; the decision is not affected", failure);
    }
}
