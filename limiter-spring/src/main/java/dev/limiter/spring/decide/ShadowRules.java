package dev.limiter.spring.decide;

import static dev.limiter.spring.decide.StorageCalls.then;
import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The decisions of rules in shadow mode on one request, which change nothing. Used once; not thread-safe. */
final class ShadowRules {

    private static final Log logger = LogFactory.getLog(RuleDecider.class);
    private static final CompletableFuture<@Nullable Void> DONE = completedFuture(null);

    private final RuleDecider decider;
    private final ApplicableRules applicable;
    private final RuleContexts contexts;
    private final StorageCalls storage;
    private final List<RateLimitRule> watching = new ArrayList<>();
    private final List<String> exceeded = new ArrayList<>();
    private final List<Decision> decisions = new ArrayList<>();
    private final List<OpenCharge> open = new ArrayList<>();
    private final List<Runnable> held = new ArrayList<>();

    ShadowRules(RuleDecider decider, ApplicableRules applicable, RuleContexts contexts, StorageCalls storage) {
        this.decider = decider;
        this.applicable = applicable;
        this.contexts = contexts;
        this.storage = storage;
    }

    /** The verdict of the enforced rules, after these were decided one by one. */
    CompletableFuture<Verdict> beside(Verdict verdict, List<RateLimitRule> rules) {
        CompletableFuture<@Nullable Void> all = DONE;
        for (RateLimitRule rule : rules) {
            all = then(all, before -> decide(rule));
        }
        return then(all, decided -> completedFuture(beside(verdict)));
    }

    private CompletableFuture<@Nullable Void> decide(RateLimitRule rule) {
        try {
            if (rule.denies(contexts.of(rule))) {
                watching.add(rule);
                exceeds(rule);
                decider.reports.decided(rule, contexts, Outcome.SHADOW_REJECTED, null, null, Duration.ZERO);
                return DONE;
            }
            Charge charge = decider.charges.of(rule, applicable, contexts);
            return charge == null
                    ? DONE
                    : then(storage.tryAcquire(List.of(charge)), decision -> decided(rule, charge, decision))
                            .exceptionally(failure -> failed(rule, failure));
        } catch (RuntimeException | Error failure) {
            failed(rule, failure);
            return DONE;
        }
    }

    private CompletableFuture<@Nullable Void> decided(RateLimitRule rule, Charge charge, Decision decision) {
        watching.add(rule);
        decisions.add(decision);
        open.addAll(decider.charges.open(List.of(rule), contexts, decision));
        if (rule.limitsConcurrency() && decision.permitted()) {
            held.add(decider.holders.hold(List.of(rule), List.of(charge), decision, contexts));
        }
        Outcome outcome = Outcome.watched(decision);
        if (outcome == Outcome.SHADOW_REJECTED) {
            exceeds(rule);
        }
        decider.reports.decided(rule, contexts, outcome, charge, decision, Duration.ZERO);
        return DONE;
    }

    /** A candidate is a limit to try out; only the rule itself rejects anything one day. */
    private void exceeds(RateLimitRule rule) {
        if (rule.live() == null) {
            exceeded.add(rule.name());
        }
    }

    /** The log has the failure of an expression already, and the storage reports its own. */
    private static @Nullable Void failed(RateLimitRule rule, Throwable failure) {
        logger.debug("Rule " + rule + " only watches", failure);
        return null;
    }

    /**
     * Candidates keep the permits of a rejected request, as if the rejecting rule had not been asked, but release those
     * of concurrency limits. With {@code charge-if} they return them, because the outcome of the request is unknown.
     */
    private Verdict beside(Verdict verdict) {
        if (!verdict.permitted) {
            open.forEach(OpenCharge::giveBack);
            decisions.forEach(Decision::close);
            held.forEach(Runnable::run);
            return verdict;
        }
        open.addAll(0, verdict.open);
        held.addAll(verdict.held);
        return new Verdict(verdict.rules, verdict.charges, verdict.decision, watching, exceeded, decisions, open, held);
    }
}
