package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.decide.RateLimitEvent.Subject;
import dev.limiter.spring.key.KeyHash;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Tells the listeners of each decision. A listener that fails changes none. Thread-safe. */
final class DecisionReports {

    private static final Log logger = LogFactory.getLog(DecisionReports.class);

    private final Map<Outcome, List<RateLimitListener>> listeners = new EnumMap<>(Outcome.class);
    private final List<RateLimitListener> all;
    private final KeyHash hash;

    DecisionReports(List<RateLimitListener> listeners, KeyHash hash) {
        this.all = List.copyOf(listeners);
        for (Outcome outcome : Outcome.values()) {
            this.listeners.put(
                    outcome,
                    listeners.stream()
                            .filter(listener -> listener.hears(outcome))
                            .toList());
        }
        this.hash = hash;
    }

    /** Of a rule that was not asked. */
    void tell(RateLimitRule rule, String resource, Outcome outcome, @Nullable Decision decision) {
        if (isHeard(outcome)) {
            tell(new RateLimitEvent(rule.name(), resource, outcome, decision, Duration.ZERO));
        }
    }

    /** Of a rule that was asked alone. */
    void tell(RateLimitRule rule, String resource, Outcome outcome, Decision decision, Charge charge) {
        if (isHeard(outcome)) {
            Subject subject = new Subject(rule, charge, decision, null, 0, hash);
            tell(new RateLimitEvent(rule.name(), resource, outcome, decision, Duration.ZERO, subject));
        }
    }

    /** Of the rule at a position of a verdict. */
    void tell(Verdict verdict, int index, String resource, Outcome outcome, Duration waited) {
        if (isHeard(outcome)) {
            RateLimitRule rule = verdict.rules().get(index);
            Subject subject = new Subject(rule, verdict.charge(index), null, verdict, index, hash);
            tell(new RateLimitEvent(rule.name(), resource, outcome, verdict.decision(), waited, subject));
        }
    }

    /** {@code waited}: how long the request waited, of the rules that let it. */
    void tellPermitted(Verdict verdict, String resource, Duration waited) {
        for (int i = 0; i < verdict.rules().size(); i++) {
            Duration own = verdict.rules().get(i).makesWait() ? waited : Duration.ZERO;
            tell(verdict, i, resource, Outcome.permitted(verdict.part(i)), own);
        }
    }

    /** A ban begins. */
    void tellBan(RateLimitRule rule, String resource, Charge charge, Decision ban) {
        Subject subject = new Subject(rule, charge, ban, null, 0, hash);
        RateLimitEvent event = new RateLimitEvent(rule.name(), resource, Outcome.BANNED, ban, Duration.ZERO, subject);
        tell(all, listener -> listener.onBan(event));
    }

    private boolean isHeard(Outcome outcome) {
        return !of(outcome).isEmpty();
    }

    private List<RateLimitListener> of(Outcome outcome) {
        return listeners.getOrDefault(outcome, List.of());
    }

    private void tell(RateLimitEvent event) {
        tell(of(event.outcome()), listener -> listener.onDecision(event));
    }

    private static void tell(List<RateLimitListener> listeners, Consumer<RateLimitListener> event) {
        for (RateLimitListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException failure) {
                logger.warn("A listener of rate limits failed; the decision stands", failure);
            }
        }
    }
}
