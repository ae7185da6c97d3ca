package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.compile.Ban;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.decide.RuleCharges.Asked;
import dev.limiter.spring.decide.RuleCharges.Undecidable;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.key.ResolvedKey;
import dev.limiter.spring.rule.Mode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides the rules of one decision point: enforced rules together, all or nothing, then shadow rules one by one.
 * Thread-safe.
 */
public final class RuleDecider {

    final DecisionReports reports;
    final Bans bans;
    final RuleCharges charges;
    final PermitHolders holders;
    private final RateLimiters limiters;
    private final RateLimiterStorage storage;
    private final StorageCalls blocking;

    /**
     * @param storage the storage of the limiters
     * @param holders records held permits of concurrency limits
     */
    public RuleDecider(
            RateLimiters limiters, RateLimiterStorage storage, DecisionReports reports, PermitHolders holders) {
        this.limiters = limiters;
        this.storage = storage;
        this.holders = holders;
        this.blocking = StorageCalls.blocking(limiters, storage.isRemote());
        this.reports = reports;
        this.bans = new Bans(limiters, reports);
        this.charges = new RuleCharges(reports);
    }

    /**
     * Decides all rules for a request or call. Waits in the calling thread if rules have a max-wait.
     *
     * @throws RuleEvaluationException if an expression of an enforced rule fails. Then the cause is logged, and one
     *     permit is taken from the bucket of unresolved keys; if none is left, the verdict is a rejection
     */
    public Verdict decide(ApplicableRules all, RuleContexts contexts) {
        ApplicableRules rules = all.byKey ? all.of(contexts) : all;
        if (!rules.onlyLimits) {
            return steps(rules, contexts).run().join();
        }
        // fast path: a single step, without a future
        Asked asked;
        try {
            asked = charges.of(rules, contexts);
        } catch (Undecidable undecidable) {
            return steps(rules, contexts).undecided(undecidable).join();
        }
        if (asked.rules().isEmpty()) {
            return Verdict.UNLIMITED;
        }
        Decision decision = blocking.tryAcquireNow(asked.charges());
        return decision.permitted()
                ? permitted(asked, rules, contexts, decision, Duration.ZERO)
                : steps(rules, contexts).rejected(asked.rejected(decision)).join();
    }

    /**
     * Decides like {@link #decide}, without blocking the caller. Cancelling the future refunds permits and leaves the
     * queue. It fails with {@link RuleEvaluationException} if {@link #decide} throws it.
     */
    public ReturningFuture<Verdict> decideLater(ApplicableRules all, RuleContexts contexts) {
        return decideLater(all, contexts, () -> {});
    }

    /**
     * Decides like {@link #decideLater(ApplicableRules, RuleContexts)}; {@code waits} is called on any thread if the
     * request must wait.
     */
    public ReturningFuture<Verdict> decideLater(ApplicableRules all, RuleContexts contexts, Runnable waits) {
        ApplicableRules rules = all.byKey ? all.of(contexts) : all;
        ReturningFuture<Verdict> result = new ReturningFuture<>(Verdict::giveBack);
        return result.handedBy(
                new DecisionSteps(this, rules, contexts, StorageCalls.async(limiters, result, waits)).run());
    }

    private DecisionSteps steps(ApplicableRules rules, RuleContexts contexts) {
        return new DecisionSteps(this, rules, contexts, blocking);
    }

    /** Returns the verdict for a request that the storage permitted. */
    Verdict permitted(Asked asked, ApplicableRules rules, RuleContexts contexts, Decision decision, Duration waited) {
        List<OpenCharge> open = rules.settling ? charges.open(asked.rules(), contexts, decision) : List.of();
        List<Runnable> held =
                rules.holding ? List.of(holders.hold(asked.rules(), asked.charges(), decision, contexts)) : List.of();
        Verdict verdict = asked.permitted(decision, open, held);
        reports.permitted(verdict, contexts, waited);
        return verdict;
    }

    /**
     * Bans a key, whether or not it was rejected before. Does nothing if the key is banned. Blocks as long as a
     * decision may.
     *
     * @throws IllegalArgumentException if the rule does not ban this key
     */
    public void ban(RateLimitRule rule, ResolvedKey key) {
        Ban ban = rule.banOf(key);
        if (ban == null) {
            throw new IllegalArgumentException(rule + " cannot ban " + key.text());
        }
        bans.begin(rule, ban, rule.rule().charge(key.text()));
    }

    /**
     * Returns the decision that {@link #decide} would make for one rule, without taking permits; null if no limit
     * applies.
     */
    public @Nullable Decision predict(RateLimitRule rule, RateLimitContext context) {
        if (rule.mode() != Mode.ENFORCE || rule.exemption(context) != null) {
            return null;
        }
        ResolvedKey key = rule.key(context);
        Charge charge = rule.enforces(key) ? rule.predictedCharge(key, context) : null;
        if (charge == null) {
            return null;
        }
        Ban ban = rule.banOf(key);
        Decision banned =
                ban == null ? null : bans.current(blocking, ban, charge).join();
        return banned == null ? storage.peek(List.of(charge)) : banned;
    }

    /** Resets the use of a key, and its ban. Blocks as long as a decision may. */
    public void reset(RateLimitRule rule, String key) {
        for (Rule counted : rule.counted()) {
            limiters.reset(counted, key);
            holders.forget(counted.name(), key);
        }
    }

    /**
     * Returns the state of the limits of each rule for such a request, after permits were refunded. Takes nothing; blocks
     * as long as a decision may.
     */
    public CompletableFuture<List<List<LimitStatus>>> peek(Verdict verdict) {
        return CompletableFuture.completedFuture(peeked(verdict).stream()
                .map(charge -> Verdict.limits(storage.peek(List.of(charge))))
                .toList());
    }

    /** The same as {@link #peek} without blocking. */
    public CompletableFuture<List<List<LimitStatus>>> peekLater(Verdict verdict) {
        CompletableFuture<List<List<LimitStatus>>> statuses = CompletableFuture.completedFuture(List.of());
        for (Charge charge : peeked(verdict)) {
            statuses = statuses.thenCombine(
                    storage.peekAsync(List.of(charge)),
                    (known, decision) -> Stream.concat(known.stream(), Stream.of(Verdict.limits(decision)))
                            .toList());
        }
        return statuses;
    }

    private static List<Charge> peeked(Verdict verdict) {
        return verdict.charges.stream()
                .map(charge -> charge.rule().charge(charge.key()).reserve(charge.reserve()))
                .toList();
    }
}
