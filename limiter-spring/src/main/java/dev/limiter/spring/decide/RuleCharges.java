package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compile.ChargeIf;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.failure.FailureLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Computes the charges of rules: evaluates their expressions for a request or call. Thread-safe. */
final class RuleCharges {

    private final DecisionReports reports;
    private final FailureLog failures = new FailureLog(LogFactory.getLog(RuleDecider.class));

    RuleCharges(DecisionReports reports) {
        this.reports = reports;
    }

    /** The rules that limit a request, with their charges; without rules that skip it. */
    record Asked(List<RateLimitRule> rules, List<Charge> charges) {

        static final Asked NOTHING = new Asked(List.of(), List.of());

        /** {@code open}: the charges that may be refunded later; {@code held}: actions that release permits. */
        Verdict permitted(Decision decision, List<OpenCharge> open, List<Runnable> held) {
            return new Verdict(rules, charges, decision, List.of(), List.of(), List.of(), open, held);
        }

        Verdict rejected(Decision decision) {
            return new Verdict(rules, charges, decision, List.of(), List.of(), List.of(), List.of(), List.of());
        }
    }

    /**
     * Returns the charges of the enforced rules.
     *
     * @throws Undecidable if an expression fails
     */
    Asked of(ApplicableRules applicable, RuleContexts contexts) {
        List<RateLimitRule> rules = applicable.enforced;
        if (rules.size() == 1) {
            Charge charge = of(rules.get(0), applicable, contexts);
            return charge == null ? Asked.NOTHING : new Asked(rules, List.of(charge));
        }
        List<RateLimitRule> asked = new ArrayList<>(rules.size());
        List<Charge> charges = new ArrayList<>(rules.size());
        for (RateLimitRule rule : rules) {
            Charge charge = of(rule, applicable, contexts);
            if (charge != null) {
                asked.add(rule);
                charges.add(charge);
            }
        }
        return new Asked(asked, charges);
    }

    /**
     * Returns the charge; null if the rule skips the request, or has no limit for it.
     *
     * @throws Undecidable if an expression fails
     */
    @Nullable
    Charge of(RateLimitRule rule, ApplicableRules applicable, RuleContexts contexts) {
        RateLimitContext context = contexts.of(rule);
        Charge charge;
        try {
            charge = rule.exemption(context) == null ? rule.charge(applicable.keys.get(rule), context) : null;
        } catch (RuntimeException | Error failure) {
            failures.error(rule.name(), "Rule " + rule + " failed for " + contexts.resource(rule), failure);
            throw new Undecidable(rule, RuleEvaluationException.brief(failure));
        }
        if (charge == null) {
            reports.decided(rule, contexts, Outcome.SKIPPED, null, null, Duration.ZERO);
        }
        return charge;
    }

    /** Returns the charges that may be refunded later, of rules that were decided together. */
    List<OpenCharge> open(List<RateLimitRule> rules, RuleContexts contexts, Decision decision) {
        List<OpenCharge> open = List.of();
        for (int i = 0; i < rules.size(); i++) {
            RateLimitRule rule = rules.get(i);
            ChargeIf chargeIf = rule.chargeIf();
            if (chargeIf != null && decision.permitted()) {
                open = open.isEmpty() ? new ArrayList<>(2) : open;
                open.add(new OpenCharge(
                        rule, chargeIf, contexts.of(rule), decision.parts().get(i), failures));
            }
        }
        return open;
    }

    /** Thrown if computing the charge of a rule fails. */
    static final class Undecidable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        final transient RateLimitRule rule;
        final RuleEvaluationException failure;

        Undecidable(RateLimitRule rule, RuleEvaluationException failure) {
            super(null, null, false, false);
            this.rule = rule;
            this.failure = failure;
        }
    }
}
