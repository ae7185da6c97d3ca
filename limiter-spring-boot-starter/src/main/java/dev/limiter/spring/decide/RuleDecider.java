package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiters;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.rule.ChargeIf;
import dev.limiter.spring.rule.RateLimitRule;
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

    public RuleDecider(RateLimiters limiters, List<RateLimitListener> listeners) {
        this.limiters = limiters;
        this.bans = new Bans(limiters);
        this.listeners = List.copyOf(listeners);
    }

    /**
     * Decides all rules that do not skip this one.
     *
     * @param resource the name of the resource for people
     * @throws RuntimeException if an expression of an enforced rule fails; nothing was taken, and the log says why
     */
    public Verdict decide(ApplicableRules rules, RateLimitContext context, String resource) {
        for (RateLimitRule rule : rules.enforced()) {
            if (rule.denies(context)) {
                Decision denied = new DeniedDecision(rule.rule());
                tell(rule, resource, Outcome.DENIED, denied);
                return new Verdict(List.of(), List.of(), denied, List.of(), List.of());
            }
        }
        Verdict verdict = switch (rules.enforced().size()) {
            case 0 -> Verdict.UNLIMITED;
            case 1 -> one(rules.enforced().get(0), context, resource);
            default -> several(rules.enforced(), context, resource);
        };
        return rules.shadow().isEmpty() || !verdict.permitted()
                ? verdict
                : withShadow(verdict, rules.shadow(), context, resource);
    }

    private Verdict one(RateLimitRule rule, RateLimitContext context, String resource) {
        Charge charge = charge(rule, context, resource);
        if (charge == null) {
            return Verdict.UNLIMITED;
        }
        Decision banned = bans.current(rule, charge);
        if (banned != null) {
            return banned(rule, charge, banned, resource);
        }
        Decision decision = limiters.tryAcquire(charge.rule(), charge.key(), charge.permits());
        if (!decision.permitted()) {
            banned = bans.afterRejection(rule, charge);
            if (banned != null) {
                return banned(rule, charge, banned, resource);
            }
        }
        tell(rule, resource, decision.permitted() ? Outcome.PERMITTED : Outcome.REJECTED, decision);
        List<RateLimitRule> only = List.of(rule);
        return new Verdict(only, List.of(charge), decision, List.of(), open(only, context, decision));
    }

    private Verdict banned(RateLimitRule rule, Charge charge, Decision decision, String resource) {
        tell(rule, resource, Outcome.BANNED, decision);
        return new Verdict(List.of(rule), List.of(charge), decision, List.of(), List.of());
    }

    /** What may be returned later, of rules that were decided together. */
    private static List<OpenCharge> open(List<RateLimitRule> rules, RateLimitContext context, Decision decision) {
        List<OpenCharge> open = List.of();
        for (int i = 0; i < rules.size(); i++) {
            ChargeIf chargeIf = rules.get(i).chargeIf();
            if (chargeIf != null && decision.permitted()) {
                open = open.isEmpty() ? new ArrayList<>(2) : open;
                open.add(new OpenCharge(
                        rules.get(i), chargeIf, context, decision.parts().get(i)));
            }
        }
        return open;
    }

    private Verdict several(List<RateLimitRule> rules, RateLimitContext context, String resource) {
        List<RateLimitRule> decided = new ArrayList<>(rules.size());
        List<Charge> charges = new ArrayList<>(rules.size());
        for (RateLimitRule rule : rules) {
            Charge charge = charge(rule, context, resource);
            if (charge != null) {
                decided.add(rule);
                charges.add(charge);
            }
        }
        if (charges.isEmpty()) {
            return Verdict.UNLIMITED;
        }
        for (int i = 0; i < charges.size(); i++) {
            Decision banned = bans.current(decided.get(i), charges.get(i));
            if (banned != null) {
                return banned(decided.get(i), charges.get(i), banned, resource);
            }
        }
        Decision decision = limiters.tryAcquire(charges.toArray(Charge[]::new));
        Verdict verdict = new Verdict(decided, charges, decision, List.of(), open(decided, context, decision));
        if (!decision.permitted()) {
            return rejected(verdict, decision, resource);
        }
        decided.forEach(rule -> tell(rule, resource, Outcome.PERMITTED, decision));
        return verdict;
    }

    /** Only the rules that refused are to be told: the others were not counted. */
    private Verdict rejected(Verdict verdict, Decision decision, String resource) {
        Verdict result = verdict;
        List<List<LimitStatus>> statuses = verdict.statuses();
        for (int i = 0; i < verdict.rules().size(); i++) {
            RateLimitRule rule = verdict.rules().get(i);
            if (statuses.get(i).stream().allMatch(LimitStatus::permitted)) {
                continue;
            }
            Charge charge = verdict.charges().get(i);
            Decision banned = bans.afterRejection(rule, charge);
            if (banned == null) {
                tell(rule, resource, Outcome.REJECTED, decision);
            } else {
                result = banned(rule, charge, banned, resource);
            }
        }
        return result;
    }

    private @Nullable Charge charge(RateLimitRule rule, RateLimitContext context, String resource) {
        try {
            if (rule.skipped(context)) {
                tell(rule, resource, Outcome.SKIPPED, null);
                return null;
            }
            return rule.charge(context);
        } catch (RuntimeException failure) {
            logger.error("Rule " + rule + " cannot be decided for " + resource, failure);
            throw failure;
        }
    }

    private Verdict withShadow(Verdict verdict, List<RateLimitRule> rules, RateLimitContext context, String resource) {
        List<Decision> decisions = new ArrayList<>(rules.size());
        List<OpenCharge> open = new ArrayList<>(verdict.open());
        for (RateLimitRule rule : rules) {
            try {
                if (rule.denies(context)) {
                    tell(rule, resource, Outcome.SHADOW_REJECTED, null);
                    continue;
                }
                Charge charge = charge(rule, context, resource);
                if (charge != null) {
                    Decision decision = limiters.tryAcquire(charge.rule(), charge.key(), charge.permits());
                    decisions.add(decision);
                    open.addAll(open(List.of(rule), context, decision));
                    tell(rule, resource, decision.permitted() ? Outcome.PERMITTED : Outcome.SHADOW_REJECTED, decision);
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
                .map(charge -> limiters.peek(charge.rule(), charge.key()).limits())
                .toList();
    }

    private void tell(RateLimitRule rule, String resource, Outcome outcome, @Nullable Decision decision) {
        if (listeners.isEmpty()) {
            return;
        }
        RateLimitEvent event = new RateLimitEvent(rule.name(), resource, outcome, decision);
        for (RateLimitListener listener : listeners) {
            try {
                listener.onDecision(event);
            } catch (RuntimeException failure) {
                logger.warn("A listener of rate limits failed; the decision stands", failure);
            }
        }
    }
}
