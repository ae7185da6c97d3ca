package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiters;
import dev.limiter.ReturningFuture;
import dev.limiter.spring.compiled.ChargeIf;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.failure.FailureLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Decides the rules of one decision point. The enforced ones are one question to the storage, all or nothing; the
 * others follow one by one, if the request is permitted. Thread-safe.
 */
public final class RuleDecider {

    private static final Log logger = LogFactory.getLog(RuleDecider.class);

    private final RateLimiters limiters;
    private final Bans bans;
    private final List<RateLimitListener> listeners;
    private final FailureLog failures = new FailureLog(logger);

    public RuleDecider(RateLimiters limiters, List<RateLimitListener> listeners) {
        this.limiters = limiters;
        this.bans = new Bans(limiters);
        this.listeners = List.copyOf(listeners);
    }

    /**
     * Decides all rules that do not skip this one. Waits in the calling thread where rules let requests wait.
     *
     * @param resource the name of the resource for people
     * @throws RuleEvaluationException if an expression of an enforced rule fails. The log says why, and one permit was taken
     *     from the bucket of those without a key; where there is none, the verdict is a refusal
     */
    public Verdict decide(ApplicableRules rules, RateLimitContext context, String resource) {
        try {
            return decideEach(rules, context, resource);
        } catch (Undecidable undecidable) {
            return undecided(undecidable, resource);
        }
    }

    private Verdict decideEach(ApplicableRules rules, RateLimitContext context, String resource) {
        Verdict denied = denied(rules, context, resource);
        if (denied != null) {
            return denied;
        }
        Asked asked = asked(rules.enforced(), context, resource);
        Verdict known = withoutAsking(rules, asked, context, resource);
        if (known != null) {
            return known;
        }
        long start = rules.waiting() ? System.nanoTime() : 0;
        Decision decision = rules.waiting() ? limiters.acquire(asked.charges()) : tryAcquire(asked.charges());
        Duration waited = rules.waiting() ? since(start) : Duration.ZERO;
        return told(verdict(asked, context, decision), rules, context, resource, waited);
    }

    /**
     * The same without blocking the caller. Cancelling the future gives back what was taken, and the place of one who
     * waits.
     */
    public ReturningFuture<Verdict> decideLater(ApplicableRules rules, RateLimitContext context, String resource) {
        try {
            return decideEachLater(rules, context, resource);
        } catch (Undecidable undecidable) {
            return known(undecided(undecidable, resource));
        }
    }

    private ReturningFuture<Verdict> decideEachLater(ApplicableRules rules, RateLimitContext context, String resource) {
        Verdict denied = denied(rules, context, resource);
        if (denied != null) {
            return known(denied);
        }
        Asked asked = asked(rules.enforced(), context, resource);
        Verdict known = withoutAsking(rules, asked, context, resource);
        if (known != null) {
            return known(known);
        }
        long start = System.nanoTime();
        return new ReturningFuture<>(Verdict::giveBack)
                .handedBy(
                        limiters.acquireAsync(asked.charges(), () -> true),
                        decided -> told(verdict(asked, context, decided), rules, context, resource, since(start)));
    }

    private static ReturningFuture<Verdict> known(Verdict verdict) {
        ReturningFuture<Verdict> known = new ReturningFuture<>(Verdict::giveBack);
        known.hand(verdict);
        return known;
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private Decision tryAcquire(List<Charge> charges) {
        Charge first = charges.get(0);
        return charges.size() == 1 && first.isPlain()
                ? limiters.tryAcquire(first.rule(), first.key(), first.permits())
                : limiters.tryAcquire(charges.toArray(Charge[]::new));
    }

    /** What is known without asking the limits; null if they have to be asked. */
    private @Nullable Verdict withoutAsking(
            ApplicableRules rules, Asked asked, RateLimitContext context, String resource) {
        return asked.rules().isEmpty()
                ? withShadow(Verdict.UNLIMITED, rules.shadow(), context, resource)
                : banned(asked.rules(), asked.charges(), resource);
    }

    /** The rules that limit this one, and what is asked of each. */
    private record Asked(List<RateLimitRule> rules, List<Charge> charges) {

        static final Asked NOTHING = new Asked(List.of(), List.of());
    }

    private Asked asked(List<RateLimitRule> rules, RateLimitContext context, String resource) {
        if (rules.size() == 1) {
            Charge charge = chargeUnlessSkipped(rules.get(0), context, resource);
            return charge == null ? Asked.NOTHING : new Asked(rules, List.of(charge));
        }
        List<RateLimitRule> asked = new ArrayList<>(rules.size());
        List<Charge> charges = new ArrayList<>(rules.size());
        for (RateLimitRule rule : rules) {
            Charge charge = chargeUnlessSkipped(rule, context, resource);
            if (charge != null) {
                asked.add(rule);
                charges.add(charge);
            }
        }
        return new Asked(asked, charges);
    }

    private @Nullable Charge chargeUnlessSkipped(RateLimitRule rule, RateLimitContext context, String resource) {
        return skips(rule, context, resource) ? null : charge(rule, context, resource);
    }

    private @Nullable Verdict denied(ApplicableRules rules, RateLimitContext context, String resource) {
        for (RateLimitRule rule : rules.enforced()) {
            if (rule.denies(context)) {
                Decision denied = new DeniedDecision(rule.rule());
                tell(rule, resource, Outcome.DENIED, denied);
                return new Verdict(List.of(), List.of(), denied, List.of(), List.of());
            }
        }
        return null;
    }

    private @Nullable Verdict banned(List<RateLimitRule> rules, List<Charge> charges, String resource) {
        for (int i = 0; i < charges.size(); i++) {
            Decision banned = bans.current(rules.get(i), charges.get(i));
            if (banned != null) {
                return banned(rules.get(i), charges.get(i), banned, resource);
            }
        }
        return null;
    }

    private Verdict banned(RateLimitRule rule, Charge charge, Decision decision, String resource) {
        tell(rule, resource, Outcome.BANNED, decision);
        return new Verdict(List.of(rule), List.of(charge), decision, List.of(), List.of());
    }

    private Verdict verdict(Asked asked, RateLimitContext context, Decision decision) {
        return new Verdict(asked.rules(), asked.charges(), decision, List.of(), open(asked.rules(), context, decision));
    }

    /** Tells the listeners, and has the rules in shadow mode decide. */
    private Verdict told(
            Verdict verdict, ApplicableRules rules, RateLimitContext context, String resource, Duration waited) {
        Decision decision = verdict.decision();
        if (decision != null && !decision.permitted()) {
            return rejected(verdict, decision, resource);
        }
        for (int i = 0; i < verdict.rules().size(); i++) {
            RateLimitRule rule = verdict.rules().get(i);
            Duration own = rule.makesWait() ? waited : Duration.ZERO;
            tell(rule, resource, Outcome.permitted(verdict.part(i)), decision, own);
        }
        return withShadow(verdict, rules.shadow(), context, resource);
    }

    /** What may be returned later, of rules that were decided together. */
    private List<OpenCharge> open(List<RateLimitRule> rules, RateLimitContext context, Decision decision) {
        List<OpenCharge> open = List.of();
        for (int i = 0; i < rules.size(); i++) {
            ChargeIf chargeIf = rules.get(i).chargeIf();
            if (chargeIf != null && decision.permitted()) {
                open = open.isEmpty() ? new ArrayList<>(2) : open;
                open.add(new OpenCharge(
                        rules.get(i), chargeIf, context, decision.parts().get(i), failures));
            }
        }
        return open;
    }

    /** Only the rules that refused are to be told: the others were not counted. */
    private Verdict rejected(Verdict verdict, Decision decision, String resource) {
        Verdict result = verdict;
        for (int i = 0; i < verdict.rules().size(); i++) {
            RateLimitRule rule = verdict.rules().get(i);
            if (!verdict.refusedBy(i)) {
                continue;
            }
            Charge charge = verdict.charges().get(i);
            Outcome outcome = Outcome.rejected(verdict.part(i));
            Decision banned = outcome == Outcome.REJECTED ? bans.afterRejection(rule, charge) : null;
            if (banned == null) {
                tell(rule, resource, outcome, decision);
            } else {
                result = banned(rule, charge, banned, resource);
            }
        }
        return result;
    }

    private boolean skips(RateLimitRule rule, RateLimitContext context, String resource) {
        try {
            if (!rule.skipped(context)) {
                return false;
            }
        } catch (RuntimeException failure) {
            throw undecidable(rule, resource, failure);
        }
        tell(rule, resource, Outcome.SKIPPED, null);
        return true;
    }

    /** Null if the rule has no limit for this one. */
    private @Nullable Charge charge(RateLimitRule rule, RateLimitContext context, String resource) {
        try {
            Charge charge = rule.charge(context);
            if (charge == null) {
                tell(rule, resource, Outcome.SKIPPED, null);
            }
            return charge;
        } catch (RuntimeException failure) {
            throw undecidable(rule, resource, failure);
        }
    }

    private Undecidable undecidable(RateLimitRule rule, String resource, RuntimeException failure) {
        failures.error(rule.name(), "Rule " + rule + " cannot be decided for " + resource, failure);
        return new Undecidable(rule, RuleEvaluationException.brief(failure));
    }

    /** A failure has its price: requests that make an expression fail would be free otherwise. */
    private Verdict undecided(Undecidable undecidable, String resource) {
        RateLimitRule rule = undecidable.rule;
        Charge charge = rule.chargeOfNobody();
        Decision decision = limiters.tryAcquire(charge);
        if (decision.permitted()) {
            decision.close();
            throw undecidable.failure;
        }
        tell(rule, resource, Outcome.rejected(decision), decision);
        return new Verdict(List.of(rule), List.of(charge), decision, List.of(), List.of());
    }

    /** What a rule would charge cannot be worked out. */
    private static final class Undecidable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient RateLimitRule rule;
        private final RuleEvaluationException failure;

        Undecidable(RateLimitRule rule, RuleEvaluationException failure) {
            super(null, null, false, false);
            this.rule = rule;
            this.failure = failure;
        }
    }

    private Verdict withShadow(Verdict verdict, List<RateLimitRule> rules, RateLimitContext context, String resource) {
        if (rules.isEmpty()) {
            return verdict;
        }
        List<Decision> decisions = new ArrayList<>(rules.size());
        List<OpenCharge> open = new ArrayList<>(verdict.open());
        for (RateLimitRule rule : rules) {
            try {
                if (rule.denies(context)) {
                    tell(rule, resource, Outcome.SHADOW_REJECTED, null);
                    continue;
                }
                Charge charge = chargeUnlessSkipped(rule, context, resource);
                if (charge != null) {
                    Decision decision = tryAcquire(List.of(charge));
                    decisions.add(decision);
                    open.addAll(open(List.of(rule), context, decision));
                    tell(
                            rule,
                            resource,
                            decision.permitted() ? Outcome.permitted(decision) : Outcome.SHADOW_REJECTED,
                            decision);
                }
            } catch (RuntimeException failure) {
                // A rule that only watches changes nothing; what went wrong is in the log.
                logger.debug("Rule " + rule + " only watches", failure);
            }
        }
        return new Verdict(verdict.rules(), verdict.charges(), verdict.decision(), decisions, open);
    }

    /** Where the limits stand now, for an answer after what was taken was given back. */
    public List<List<LimitStatus>> peek(Verdict verdict) {
        return verdict.charges().stream()
                .map(charge -> Verdict.limits(limiters.peek(charge.rule(), charge.key())))
                .toList();
    }

    private void tell(RateLimitRule rule, String resource, Outcome outcome, @Nullable Decision decision) {
        tell(rule, resource, outcome, decision, Duration.ZERO);
    }

    private void tell(
            RateLimitRule rule, String resource, Outcome outcome, @Nullable Decision decision, Duration waited) {
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
}
