package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiters;
import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleContexts;
import dev.limiter.spring.decide.RuleCharges.Asked;
import dev.limiter.spring.decide.RuleCharges.Undecidable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One decision of {@link RuleDecider} that blocks no thread: bans, limits, rejections and rules in shadow mode, in this
 * order. Each step asks the storage, and the next begins with its answer. A cancelled decision cancels the question
 * that is under way, and gives back what was granted. Used once; the steps follow each other, so fields need no lock.
 */
final class AsyncDecision {

    private final RuleDecider decider;
    private final RateLimiters limiters;
    private final ApplicableRules rules;
    private final RuleContexts contexts;
    private final ShadowRules shadow;
    private final ReturningFuture<Verdict> result = new ReturningFuture<>(Verdict::giveBack);
    private Asked asked = Asked.NOTHING;

    AsyncDecision(RuleDecider decider, ApplicableRules rules, RuleContexts contexts) {
        this.decider = decider;
        this.limiters = decider.limiters();
        this.rules = rules;
        this.contexts = contexts;
        this.shadow = new ShadowRules(decider.charges(), decider.reports(), decider.holders(), rules, contexts);
    }

    /** {@code known}: the verdict, if no storage has to be asked for it. */
    ReturningFuture<Verdict> begin(@Nullable Verdict known) {
        if (known != null) {
            result.hand(known);
            return result;
        }
        try {
            asked = decider.charges().of(rules, contexts);
        } catch (Undecidable undecidable) {
            ask(
                    limiters.tryAcquireAsync(undecidable.price()),
                    price -> result.hand(decider.undecided(undecidable, price, contexts)));
            return result;
        }
        if (asked.rules.isEmpty()) {
            askShadow(Verdict.UNLIMITED, rules.shadow, 0);
        } else {
            askBan(0);
        }
        return result;
    }

    /** Begins with the rule at {@code index}. */
    private void askBan(int index) {
        for (int i = index; i < asked.rules.size(); i++) {
            RateLimitRule rule = asked.rules.get(i);
            Charge charge = asked.charges.get(i);
            CompletableFuture<@Nullable Decision> ban = decider.bans().currentLater(rules.ban(rule), charge);
            if (ban != null) {
                int next = i + 1;
                ask(ban, banned -> {
                    if (banned == null) {
                        askBan(next);
                    } else {
                        Verdict refused = decider.banned(rule, charge, banned, contexts);
                        askShadow(refused, rules.candidatesBeside(refused), 0);
                    }
                });
                return;
            }
        }
        askLimits();
    }

    private void askLimits() {
        long start = System.nanoTime();
        CompletableFuture<Decision> decision = rules.waiting
                ? limiters.acquireAsync(asked.charges, () -> true)
                : limiters.tryAcquireAsync(asked.charges.toArray(Charge[]::new));
        ask(decision, decided -> {
            Verdict verdict = decider.verdict(asked, rules, contexts, decided);
            if (decided.permitted()) {
                Duration waited = rules.waiting ? Duration.ofNanos(System.nanoTime() - start) : Duration.ZERO;
                decider.reports().tellPermitted(verdict, contexts, waited);
                askShadow(verdict, rules.shadow, 0);
            } else {
                countRejection(verdict, verdict, 0);
            }
        });
    }

    /** Only the rules that refused are to be told: the others were not counted. */
    private void countRejection(Verdict verdict, Verdict answer, int index) {
        for (int i = index; i < verdict.rules.size(); i++) {
            if (!verdict.refusedBy(i)) {
                continue;
            }
            RateLimitRule rule = verdict.rules.get(i);
            Charge charge = verdict.charges.get(i);
            Decision part = verdict.part(i);
            Outcome outcome = Outcome.rejected(part);
            CompletableFuture<@Nullable Decision> ban = outcome == Outcome.REJECTED
                    ? decider.bans().afterRejectionLater(rule, rules.ban(rule), charge, part, contexts)
                    : null;
            if (ban != null) {
                int refused = i;
                ask(ban, banned -> {
                    if (banned == null) {
                        decider.reports().tell(verdict, refused, part, contexts, outcome, Duration.ZERO);
                    }
                    countRejection(
                            verdict,
                            banned == null ? answer : decider.banned(rule, charge, banned, contexts),
                            refused + 1);
                });
                return;
            }
            decider.reports().tell(verdict, i, part, contexts, outcome, Duration.ZERO);
        }
        askShadow(answer, rules.candidatesBeside(verdict), 0);
    }

    private void askShadow(Verdict verdict, List<RateLimitRule> watching, int index) {
        for (int i = index; i < watching.size(); i++) {
            RateLimitRule rule = watching.get(i);
            Charge charge = shadow.charge(rule);
            if (charge != null) {
                int next = i + 1;
                var unused = asked(charge).whenComplete((decision, failure) -> {
                    if (failure == null) {
                        shadow.decided(rule, charge, decision);
                    } else {
                        shadow.failed(rule, failure);
                    }
                    askShadow(verdict, watching, next);
                });
                return;
            }
        }
        result.hand(watching.isEmpty() ? verdict : shadow.beside(verdict));
    }

    /** A storage may fail at once, too. */
    private CompletableFuture<Decision> asked(Charge charge) {
        try {
            return limiters.tryAcquireAsync(charge);
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    /** Has a step follow an answer; a failure of either ends the decision. */
    private <T extends @Nullable Object> void ask(CompletableFuture<T> question, Consumer<T> step) {
        cancelWithResult(question);
        var unused = question.whenComplete((answer, failure) -> {
            if (failure == null) {
                follow(() -> step.accept(answer));
            } else {
                result.completeExceptionally(failure instanceof CompletionException ? failure.getCause() : failure);
            }
        });
    }

    private void cancelWithResult(CompletableFuture<?> question) {
        var unused = result.whenComplete((verdict, failure) -> {
            if (failure != null) {
                question.cancel(true);
            }
        });
    }

    private void follow(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException failure) {
            result.completeExceptionally(failure);
        }
    }
}
