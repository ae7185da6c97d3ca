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

/** Decides shadow rules for one request, without effect. For one use; not thread-safe. */
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

    /** Decides shadow rules one by one, and returns the verdict of the enforced rules with their decisions. */
    CompletableFuture<Verdict> addTo(Verdict verdict, List<RateLimitRule> rules) {
        CompletableFuture<@Nullable Void> all = DONE;
        for (RateLimitRule rule : rules) {
            all = then(all, before -> decide(rule));
        }
        return then(all, decided -> completedFuture(combined(verdict)));
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

    /** Records a rule that would have rejected the request. Candidates are not reported. */
    private void exceeds(RateLimitRule rule) {
        if (rule.live() == null) {
            exceeded.add(rule.name());
        }
    }

    /** Logs a failure at debug level only, because expressions and the storage report their own failures. */
    private static @Nullable Void failed(RateLimitRule rule, Throwable failure) {
        logger.debug("Shadow rule " + rule + " failed", failure);
        return null;
    }

    /**
     * Returns the verdict with the decisions of shadow rules. Candidates keep the permits of a rejected request, as if
     * it had been permitted, but release concurrency permits. With {@code charge-if} they refund them, because the
     * outcome is unknown.
     */
    private Verdict combined(Verdict verdict) {
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
