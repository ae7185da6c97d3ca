package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.compiled.Ban;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleContexts;
import dev.limiter.spring.decide.PermitHolders.HeldPermits;
import dev.limiter.spring.decide.RuleCharges.Asked;
import dev.limiter.spring.decide.RuleCharges.Undecidable;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.key.ResolvedKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decides the rules of one decision point. The enforced ones are one question to the storage, all or nothing; the
 * others follow one by one, if the request is permitted. Thread-safe.
 */
public final class RuleDecider {

    private final RateLimiters limiters;
    private final Bans bans;
    private final DecisionReports reports;
    private final RuleCharges charges;
    private final PermitHolders holders;
    private final boolean remote;

    /**
     * @param storage where the limiters decide
     * @param hash what listeners may tell people instead of keys
     * @param holders where requests are while they hold permits of concurrency limits
     */
    public RuleDecider(
            RateLimiters limiters,
            RateLimiterStorage storage,
            List<RateLimitListener> listeners,
            KeyHash hash,
            PermitHolders holders) {
        this.limiters = limiters;
        this.holders = holders;
        this.remote = storage.isRemote();
        this.reports = new DecisionReports(listeners, hash);
        this.bans = new Bans(limiters, reports);
        this.charges = new RuleCharges(reports);
    }

    /**
     * Decides all rules that do not skip this one. Waits in the calling thread where rules let requests wait.
     *
     * @throws RuleEvaluationException if an expression of an enforced rule fails. The log says why, and one permit was
     *     taken from the bucket of those without a key; where there is none, the verdict is a refusal
     */
    public Verdict decide(ApplicableRules all, RuleContexts contexts) {
        ApplicableRules rules = all.byKey ? all.of(contexts) : all;
        Verdict denied = rules.denying ? denied(rules, contexts) : null;
        if (denied != null) {
            return denied;
        }
        Asked asked;
        try {
            asked = charges.of(rules, contexts);
        } catch (Undecidable undecidable) {
            return undecided(undecidable, contexts);
        }
        if (asked.rules.isEmpty()) {
            return withShadow(Verdict.UNLIMITED, rules, rules.shadow, contexts);
        }
        Verdict banned = rules.banning ? banned(asked, rules, contexts) : null;
        return banned == null
                ? decide(asked, rules, contexts)
                : withShadow(banned, rules, rules.candidatesBeside(banned), contexts);
    }

    private Verdict decide(Asked asked, ApplicableRules rules, RuleContexts contexts) {
        boolean waiting = rules.waiting;
        long start = waiting ? System.nanoTime() : 0;
        Decision decision = waiting ? limiters.acquire(asked.charges) : tryAcquire(asked.charges);
        Duration waited = waiting ? Duration.ofNanos(System.nanoTime() - start) : Duration.ZERO;
        Verdict verdict = verdict(asked, rules, contexts, decision);
        if (!verdict.permitted) {
            Verdict answer = rejected(verdict, rules, contexts);
            return rules.shadow.isEmpty()
                    ? answer
                    : withShadow(answer, rules, rules.candidatesBeside(verdict), contexts);
        }
        reports.tellPermitted(verdict, contexts, waited);
        return rules.shadow.isEmpty() ? verdict : withShadow(verdict, rules, rules.shadow, contexts);
    }

    /** A storage in memory needs no charge for plain permits of one key; for a remote one it would be made again. */
    private Decision tryAcquire(List<Charge> charges) {
        Charge first = charges.get(0);
        return charges.size() == 1 && !remote && first.isPlain()
                ? limiters.tryAcquire(first.rule(), first.key(), first.permits())
                : limiters.tryAcquire(charges.toArray(Charge[]::new));
    }

    /**
     * {@link #decide} without blocking the caller, whatever the storage. Cancelling the future gives back what was
     * taken, and the place of a request that waits. It fails with {@link RuleEvaluationException} where {@link
     * #decide} throws that.
     */
    public ReturningFuture<Verdict> decideLater(ApplicableRules all, RuleContexts contexts) {
        ApplicableRules rules = all.byKey ? all.of(contexts) : all;
        Verdict denied = rules.denying ? denied(rules, contexts) : null;
        return new AsyncDecision(this, rules, contexts).begin(denied);
    }

    /**
     * Begins the ban of a key that follows too many rejections, whether there were any; nothing happens if the key is
     * banned. Blocks for as long as a decision may.
     *
     * @throws IllegalArgumentException if the rule does not ban this key
     */
    public void ban(RateLimitRule rule, ResolvedKey key) {
        Ban ban = rule.banOf(key);
        if (ban == null) {
            throw new IllegalArgumentException(rule + " does not ban " + key.text());
        }
        bans.begin(rule, ban, rule.rule().charge(key.text()));
    }

    RateLimiters limiters() {
        return limiters;
    }

    Bans bans() {
        return bans;
    }

    DecisionReports reports() {
        return reports;
    }

    PermitHolders holders() {
        return holders;
    }

    RuleCharges charges() {
        return charges;
    }

    private @Nullable Verdict denied(ApplicableRules rules, RuleContexts contexts) {
        for (RateLimitRule rule : rules.enforced) {
            if (rule.denies(contexts.of(rule))) {
                Decision denied =
                        new FixedDecision(rule.rule(), Charge.SHARED, Decision.NEVER, FixedDecision.Reason.DENIED);
                reports.tell(rule, contexts, Outcome.DENIED, denied);
                return Asked.NOTHING.refused(denied);
            }
        }
        return null;
    }

    private @Nullable Verdict banned(Asked asked, ApplicableRules rules, RuleContexts contexts) {
        for (int i = 0; i < asked.charges.size(); i++) {
            RateLimitRule rule = asked.rules.get(i);
            Decision banned = bans.current(rules.ban(rule), asked.charges.get(i));
            if (banned != null) {
                return banned(rule, asked.charges.get(i), banned, contexts);
            }
        }
        return null;
    }

    Verdict banned(RateLimitRule rule, Charge charge, Decision banned, RuleContexts contexts) {
        reports.tell(rule, contexts, Outcome.BANNED, banned, charge);
        return new Asked(List.of(rule), List.of(charge)).refused(banned);
    }

    Verdict verdict(Asked asked, ApplicableRules rules, RuleContexts contexts, Decision decision) {
        if (!decision.permitted()) {
            return asked.refused(decision);
        }
        List<OpenCharge> open = rules.settling ? charges.open(asked.rules, contexts, decision) : List.of();
        HeldPermits held =
                rules.holding ? holders.hold(asked.rules, asked.charges, decision, contexts) : HeldPermits.NONE;
        return asked.permitted(decision, open, held);
    }

    /** Only the rules that refused are to be told: the others were not counted. */
    private Verdict rejected(Verdict verdict, ApplicableRules applicable, RuleContexts contexts) {
        Verdict result = verdict;
        List<RateLimitRule> rules = verdict.rules;
        for (int i = 0; i < rules.size(); i++) {
            RateLimitRule rule = rules.get(i);
            if (!verdict.refusedBy(i)) {
                continue;
            }
            Decision part = verdict.part(i);
            Outcome outcome = Outcome.rejected(part);
            Decision banned = outcome == Outcome.REJECTED && applicable.banning
                    ? bans.afterRejection(rule, applicable.ban(rule), verdict.charges.get(i), part, contexts)
                    : null;
            if (banned == null) {
                reports.tell(verdict, i, part, contexts, outcome, Duration.ZERO);
            } else {
                result = banned(rule, verdict.charges.get(i), banned, contexts);
            }
        }
        return result;
    }

    private Verdict undecided(Undecidable undecidable, RuleContexts contexts) {
        return undecided(undecidable, limiters.tryAcquire(undecidable.price()), contexts);
    }

    /** The refusal of a request that failed to be decided, and could not pay for it; throws the failure if it could. */
    Verdict undecided(Undecidable undecidable, Decision price, RuleContexts contexts) {
        if (price.permitted()) {
            price.close();
            throw undecidable.failure;
        }
        reports.tell(undecidable.rule, contexts, Outcome.rejected(price), price, undecidable.price());
        return undecidable.refused(price);
    }

    /** {@code watching}: those of the rules that follow this verdict. */
    private Verdict withShadow(
            Verdict verdict, ApplicableRules rules, List<RateLimitRule> watching, RuleContexts contexts) {
        if (watching.isEmpty()) {
            return verdict;
        }
        ShadowRules shadow = new ShadowRules(charges, reports, holders, rules, contexts);
        for (RateLimitRule rule : watching) {
            Charge charge = shadow.charge(rule);
            if (charge != null) {
                try {
                    shadow.decided(rule, charge, tryAcquire(List.of(charge)));
                } catch (RuntimeException failure) {
                    shadow.failed(rule, failure);
                }
            }
        }
        return shadow.beside(verdict);
    }

    /**
     * Where the limits stand now, for an answer after what was taken was given back: on the terms of the request, as a
     * decision that permitted it would tell.
     */
    public List<List<LimitStatus>> peek(Verdict verdict) {
        return verdict.charges.stream()
                .map(charge -> standing(charge, limiters.peek(charge.rule(), charge.key())))
                .toList();
    }

    /**
     * {@link #peek} without blocking the caller, whatever the storage; fails where the storage does. All limits are
     * asked at once.
     */
    public CompletableFuture<List<List<LimitStatus>>> peekLater(Verdict verdict) {
        List<CompletableFuture<List<LimitStatus>>> questions = verdict.charges.stream()
                .map(charge ->
                        limiters.peekAsync(charge.rule(), charge.key()).thenApply(peeked -> standing(charge, peeked)))
                .toList();
        return CompletableFuture.allOf(questions.toArray(CompletableFuture[]::new))
                .thenApply(answered ->
                        questions.stream().map(CompletableFuture::join).toList());
    }

    /** {@code peeked}: where the limits stand for a request that need not leave a reserve. */
    private static List<LimitStatus> standing(Charge charge, Decision peeked) {
        return Verdict.limits(peeked).stream()
                .map(status -> beside(charge.kept(status.limit().capacity()), status))
                .toList();
    }

    /** The time to retry is that of a request with priority: it is left out where permits are kept for those. */
    private static LimitStatus beside(long kept, LimitStatus status) {
        return kept == 0
                ? status
                : new LimitStatus(
                        status.policy(),
                        status.limit(),
                        true,
                        Math.max(status.remaining() - kept, 0),
                        Optional.empty(),
                        status.resetAfter());
    }
}
