package dev.limiter.spring.decide;

import static dev.limiter.spring.decide.StorageCalls.then;
import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spring.compile.Ban;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.decide.RuleCharges.Asked;
import dev.limiter.spring.decide.RuleCharges.Undecidable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one decision: deny lists, bans, limits, rejections and shadow rules, in this order. Each step starts
 * when the storage has replied to the previous one; with blocking {@link StorageCalls} at once. For one use; steps
 * never run concurrently, so there are no locks.
 */
final class DecisionSteps {

    private static final CompletableFuture<@Nullable Verdict> NOT_BANNED = completedFuture(null);

    private final RuleDecider decider;
    private final DecisionReports reports;
    private final ApplicableRules rules;
    private final RuleContexts contexts;
    private final StorageCalls storage;

    DecisionSteps(RuleDecider decider, ApplicableRules rules, RuleContexts contexts, StorageCalls storage) {
        this.decider = decider;
        this.reports = decider.reports;
        this.rules = rules;
        this.contexts = contexts;
        this.storage = storage;
    }

    CompletableFuture<Verdict> run() {
        Verdict denied = denied();
        if (denied != null) {
            return completedFuture(denied);
        }
        Asked asked;
        try {
            asked = decider.charges.of(rules, contexts);
        } catch (Undecidable undecidable) {
            return undecided(undecidable);
        }
        return asked.rules().isEmpty()
                ? shadowed(Verdict.UNLIMITED, rules.shadow)
                : then(banned(asked), banned -> banned == null ? limited(asked) : withCandidates(banned, banned));
    }

    private @Nullable Verdict denied() {
        for (int i = 0; i < rules.enforced.size(); i++) {
            RateLimitRule rule = rules.enforced.get(i);
            if (rule.hasDeniedAddresses() && rule.denies(contexts.of(rule))) {
                Decision denied = new FixedDecision(rule.rule(), CompiledLimit.NEVER, FixedDecision.Reason.DENIED);
                reports.decided(rule, contexts, Outcome.DENIED, null, denied, Duration.ZERO);
                return Asked.NOTHING.rejected(denied);
            }
        }
        return null;
    }

    /**
     * Fails with the reason, after taking a permit from the bucket of unresolved keys. Otherwise clients could avoid
     * limits by making an expression fail. Rejects the request if no permit is left.
     */
    CompletableFuture<Verdict> undecided(Undecidable undecidable) {
        RateLimitRule rule = undecidable.rule;
        Charge price = rule.chargeOfNobody();
        return then(storage.tryAcquire(List.of(price)), decision -> {
            if (decision.permitted()) {
                decision.close();
                throw undecidable.failure;
            }
            reports.decided(rule, contexts, Outcome.rejected(decision), price, decision, Duration.ZERO);
            return completedFuture(new Asked(List.of(rule), List.of(price)).rejected(decision));
        });
    }

    /** Returns the verdict of the first rule that bans the key; null if none does. */
    private CompletableFuture<@Nullable Verdict> banned(Asked asked) {
        CompletableFuture<@Nullable Verdict> banned = NOT_BANNED;
        for (int i = 0; i < asked.rules().size(); i++) {
            RateLimitRule rule = asked.rules().get(i);
            Charge charge = asked.charges().get(i);
            Ban ban = rules.ban(rule);
            if (ban != null) {
                banned = then(banned, before -> before == null ? banned(rule, charge, ban) : completedFuture(before));
            }
        }
        return banned;
    }

    private CompletableFuture<@Nullable Verdict> banned(RateLimitRule rule, Charge charge, Ban ban) {
        return then(
                decider.bans.current(storage, ban, charge),
                current -> current == null ? NOT_BANNED : completedFuture(banned(rule, charge, current)));
    }

    private Verdict banned(RateLimitRule rule, Charge charge, Decision ban) {
        reports.decided(rule, contexts, Outcome.BANNED, charge, ban, Duration.ZERO);
        return new Asked(List.of(rule), List.of(charge)).rejected(ban);
    }

    private CompletableFuture<Verdict> limited(Asked asked) {
        if (!rules.waiting) {
            return then(storage.tryAcquire(asked.charges()), decision -> decided(asked, decision, Duration.ZERO));
        }
        long start = System.nanoTime();
        return then(
                storage.acquire(asked.charges()),
                decision -> decided(asked, decision, Duration.ofNanos(System.nanoTime() - start)));
    }

    /** {@code waited}: the time until the decision, if requests may wait. */
    private CompletableFuture<Verdict> decided(Asked asked, Decision decision, Duration waited) {
        return decision.permitted()
                ? shadowed(decider.permitted(asked, rules, contexts, decision, waited), rules.shadow)
                : rejected(asked.rejected(decision));
    }

    /** Counts the rejections of a request for bans. */
    CompletableFuture<Verdict> rejected(Verdict verdict) {
        CompletableFuture<Verdict> result = completedFuture(verdict);
        for (int i = 0; i < verdict.rules.size(); i++) {
            if (verdict.rejectedBy(i)) {
                int index = i;
                result = then(result, before -> rejected(verdict, index, before));
            }
        }
        return then(result, last -> withCandidates(last, verdict));
    }

    /** {@code before}: the result unless the rule at that position starts a ban, or had started it. */
    private CompletableFuture<Verdict> rejected(Verdict verdict, int index, Verdict before) {
        RateLimitRule rule = verdict.rules.get(index);
        Charge charge = verdict.charges.get(index);
        Decision part = verdict.part(index);
        return then(decider.bans.afterRejection(storage, rule, rules.ban(rule), charge, part, contexts), ban -> {
            if (ban != null) {
                return completedFuture(banned(rule, charge, ban));
            }
            reports.decided(rule, contexts, Outcome.rejected(part), charge, part, Duration.ZERO);
            return completedFuture(before);
        });
    }

    /** Decides the candidates of the rejecting rule as if it had permitted the request. */
    private CompletableFuture<Verdict> withCandidates(Verdict result, Verdict rejected) {
        return shadowed(result, rules.candidatesOf(rejected));
    }

    /** Returns the verdict with the decisions of shadow rules. */
    private CompletableFuture<Verdict> shadowed(Verdict verdict, List<RateLimitRule> watching) {
        return watching.isEmpty()
                ? completedFuture(verdict)
                : new ShadowRules(decider, rules, contexts, storage).addTo(verdict, watching);
    }
}
