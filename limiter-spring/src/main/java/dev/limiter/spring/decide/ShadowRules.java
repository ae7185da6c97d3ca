package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleContexts;
import dev.limiter.spring.decide.PermitHolders.HeldPermits;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The decisions of rules in shadow mode on one request, which change nothing. Not thread-safe. */
final class ShadowRules {

    private static final Log logger = LogFactory.getLog(RuleDecider.class);

    private final RuleCharges charges;
    private final DecisionReports reports;
    private final ApplicableRules applicable;
    private final RuleContexts contexts;
    private final List<RateLimitRule> watching = new ArrayList<>();
    private final List<Decision> decisions = new ArrayList<>();
    private final List<OpenCharge> open = new ArrayList<>();
    private final PermitHolders holders;
    private HeldPermits held = HeldPermits.NONE;

    ShadowRules(
            RuleCharges charges,
            DecisionReports reports,
            PermitHolders holders,
            ApplicableRules applicable,
            RuleContexts contexts) {
        this.holders = holders;
        this.charges = charges;
        this.reports = reports;
        this.applicable = applicable;
        this.contexts = contexts;
    }

    /** The charge of the rule; null if it has nothing to ask, or an expression of it fails. */
    @Nullable
    Charge charge(RateLimitRule rule) {
        try {
            if (rule.denies(contexts.of(rule))) {
                watching.add(rule);
                reports.tell(rule, contexts, Outcome.SHADOW_REJECTED, null);
                return null;
            }
            return charges.of(rule, applicable, contexts);
        } catch (RuntimeException | Error failure) {
            failed(rule, failure);
            return null;
        }
    }

    void decided(RateLimitRule rule, Charge charge, Decision decision) {
        watching.add(rule);
        decisions.add(decision);
        open.addAll(charges.open(List.of(rule), contexts, decision));
        if (rule.limitsConcurrency() && decision.permitted()) {
            held = held.and(holders.hold(List.of(rule), List.of(charge), decision, contexts));
        }
        reports.tell(rule, contexts, Outcome.watched(decision), decision, charge);
    }

    /** A failure of an expression is in the log already; one of a storage is told by the storage. */
    void failed(RateLimitRule rule, Throwable failure) {
        logger.debug("Rule " + rule + " only watches", failure);
    }

    /**
     * The verdict of the enforced rules, with these beside it. Candidates keep the permits of a refused request, as if
     * the refusing rule had not been asked, but release those of concurrency limits. With {@code charge-if} they return
     * them, because the outcome of the request is unknown.
     */
    Verdict beside(Verdict verdict) {
        if (!verdict.permitted) {
            open.forEach(OpenCharge::giveBack);
            decisions.forEach(Decision::close);
            held.release();
            return verdict;
        }
        open.addAll(0, verdict.open);
        return new Verdict(
                verdict.rules, verdict.charges, verdict.decision, watching, decisions, open, verdict.held.and(held));
    }
}
