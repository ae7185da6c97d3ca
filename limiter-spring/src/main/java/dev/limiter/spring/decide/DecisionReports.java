package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleContexts;
import dev.limiter.spring.decide.RateLimitEvent.Caller;
import dev.limiter.spring.decide.RateLimitEvent.Subject;
import dev.limiter.spring.key.KeyHash;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Has each decision counted, and tells the listeners of it that want its event. Thread-safe. */
final class DecisionReports {

    private final Map<Outcome, Audience> audiences = new EnumMap<>(Outcome.class);
    private final List<RateLimitListener> all;
    private final KeyHash hash;

    DecisionReports(List<RateLimitListener> listeners, KeyHash hash) {
        this.all = List.copyOf(listeners);
        this.hash = hash;
        for (Outcome outcome : Outcome.values()) {
            Audience audience = new Audience(outcome, all);
            if (!audience.isEmpty()) {
                audiences.put(outcome, audience);
            }
        }
    }

    /** Tells the decision of a rule that was not asked. */
    void tell(RateLimitRule rule, RuleContexts contexts, Outcome outcome, @Nullable Decision decision) {
        Audience audience = audiences.get(outcome);
        if (audience != null) {
            String resource = contexts.resource(rule);
            List<RateLimitListener> asking = audience.count(rule, null, resource, null, Duration.ZERO);
            if (!asking.isEmpty()) {
                tell(
                        asking,
                        new RateLimitEvent(
                                rule.name(),
                                resource,
                                outcome,
                                decision,
                                Duration.ZERO,
                                Caller.of(contexts.of(rule)),
                                null));
            }
        }
    }

    /** Tells the decision of a rule that was asked alone. */
    void tell(RateLimitRule rule, RuleContexts contexts, Outcome outcome, Decision decision, Charge charge) {
        Audience audience = audiences.get(outcome);
        if (audience != null) {
            String resource = contexts.resource(rule);
            List<RateLimitListener> asking = audience.count(rule, charge, resource, decision, Duration.ZERO);
            if (!asking.isEmpty()) {
                Subject subject = new Subject(rule, charge, decision, null, 0, hash);
                tell(
                        asking,
                        new RateLimitEvent(
                                rule.name(),
                                resource,
                                outcome,
                                decision,
                                Duration.ZERO,
                                Caller.of(contexts.of(rule)),
                                subject));
            }
        }
    }

    /** Tells the decision of the rule at a position of a verdict; {@code part}: the one on that rule. */
    void tell(Verdict verdict, int index, Decision part, RuleContexts contexts, Outcome outcome, Duration waited) {
        Audience audience = audiences.get(outcome);
        if (audience != null) {
            RateLimitRule rule = verdict.rules.get(index);
            Charge charge = verdict.charges.get(index);
            String resource = contexts.resource(rule);
            List<RateLimitListener> asking = audience.count(rule, charge, resource, part, waited);
            if (!asking.isEmpty()) {
                Subject subject = new Subject(rule, charge, null, verdict, index, hash);
                tell(
                        asking,
                        new RateLimitEvent(
                                rule.name(),
                                resource,
                                outcome,
                                verdict.decision,
                                waited,
                                Caller.of(contexts.of(rule)),
                                subject));
            }
        }
    }

    /** {@code waited}: how long the request waited, of the rules that let it. */
    void tellPermitted(Verdict verdict, RuleContexts contexts, Duration waited) {
        for (int i = 0; i < verdict.rules.size(); i++) {
            Duration own = waited.isZero() || verdict.rules.get(i).makesWait() ? waited : Duration.ZERO;
            Decision part = verdict.part(i);
            tell(verdict, i, part, contexts, Outcome.permitted(part), own);
        }
    }

    /** A ban begins; {@code contexts}: null if an operator has begun it. */
    void tellBan(RateLimitRule rule, @Nullable RuleContexts contexts, Charge charge, Decision ban) {
        Subject subject = new Subject(rule, charge, ban, null, 0, hash);
        String resource = contexts == null ? "" : contexts.resource(rule);
        Caller caller = contexts == null ? Caller.UNKNOWN : Caller.of(contexts.of(rule));
        RateLimitEvent event =
                new RateLimitEvent(rule.name(), resource, Outcome.BANNED, ban, Duration.ZERO, caller, subject);
        Audience.tell(all, listener -> listener.onBan(event));
    }

    private static void tell(List<RateLimitListener> listeners, RateLimitEvent event) {
        Audience.tell(listeners, listener -> listener.onDecision(event));
    }
}
