package dev.limiter.spring.decide;

import dev.limiter.Decision;
import dev.limiter.spring.compiled.RateLimitRule;
import java.time.Duration;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Tells the listeners of each decision. A listener that fails changes none. Thread-safe. */
final class DecisionReports {

    private static final Log logger = LogFactory.getLog(DecisionReports.class);

    private final List<RateLimitListener> listeners;

    DecisionReports(List<RateLimitListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    void tell(RateLimitRule rule, String resource, Outcome outcome, @Nullable Decision decision) {
        tell(rule, resource, outcome, decision, Duration.ZERO);
    }

    void tell(RateLimitRule rule, String resource, Outcome outcome, @Nullable Decision decision, Duration waited) {
        if (listeners.isEmpty()) {
            return;
        }
        RateLimitEvent event = new RateLimitEvent(rule.name(), resource, outcome, decision, waited);
        for (RateLimitListener listener : listeners) {
            try {
                listener.onDecision(event);
            } catch (RuntimeException failure) {
                logger.warn("A listener of rate limits failed; the decision stands", failure);
            }
        }
    }

    /** {@code waited}: how long the request waited, of the rules that let it. */
    void tellPermitted(Verdict verdict, String resource, Duration waited) {
        for (int i = 0; i < verdict.rules().size(); i++) {
            RateLimitRule rule = verdict.rules().get(i);
            Duration own = rule.makesWait() ? waited : Duration.ZERO;
            tell(rule, resource, Outcome.permitted(verdict.part(i)), verdict.decision(), own);
        }
    }
}
