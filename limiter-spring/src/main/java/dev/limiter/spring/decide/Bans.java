package dev.limiter.spring.decide;

import static dev.limiter.spring.decide.StorageCalls.then;
import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiters;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spring.compile.Ban;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Bans keys after too many rejections.
 *
 * <p>A rejection takes a permit of {@link Ban#rejections()}. The last one also takes the only permit of
 * {@link Ban#bans()}, which is free again at the end of the ban. The storage decides both like any limit. So the number
 * of rejections before a ban is exact with any number of threads. Rejections during a ban do not count, so it ends on
 * time.
 *
 * <p>Two kinds of keys are never banned, because one client would ban others: keys that unidentified clients share, and
 * keys in the overflow state. An instance that decides by its share of the limits starts no bans, because clients may
 * have kept the whole limit. Thread-safe.
 */
final class Bans {

    private static final CompletableFuture<@Nullable Decision> NONE = completedFuture(null);

    private final RateLimiters limiters;
    private final DecisionReports reports;

    Bans(RateLimiters limiters, DecisionReports reports) {
        this.limiters = limiters;
        this.reports = reports;
    }

    /** Returns the rejection if the key is banned, else null. */
    CompletableFuture<@Nullable Decision> current(StorageCalls storage, Ban ban, Charge charge) {
        return then(
                storage.peek(ban.bans(), charge.key()),
                state -> Ban.isInForce(state) ? completedFuture(banned(charge, state)) : NONE);
    }

    /** Counts a rejection. Returns a rejection by the ban if the key already had too many, else null. */
    CompletableFuture<@Nullable Decision> afterRejection(
            StorageCalls storage,
            RateLimitRule rule,
            @Nullable Ban ban,
            Charge charge,
            Decision rejection,
            RuleContexts contexts) {
        if (ban == null || Outcome.rejected(rejection) != Outcome.REJECTED || isShared(rejection)) {
            return NONE;
        }
        return then(
                storage.tryAcquire(List.of(ban.rejections().charge(charge.key()))),
                counted -> isLast(counted)
                        ? storage.tryAcquire(List.of(ban.bans().charge(charge.key())))
                                .thenApply(state -> begun(rule, charge, contexts, counted, state))
                        : NONE);
    }

    /**
     * Starts a ban. Does nothing if the key is banned.
     *
     * @throws StorageUnavailableException if neither the shared storage nor this instance can store the ban
     */
    void begin(RateLimitRule rule, Ban ban, Charge charge) {
        Charge begun = ban.bans().charge(charge.key());
        Decision state = limiters.tryAcquire(begun);
        if (limiters.storage() instanceof FailoverRateLimiterStorage shared && isLost(state, begun)) {
            state.giveBack();
            state = shared.decideRemotely(begun);
        }
        if (AbstractDecision.of(state).sharesState()) {
            throw new StorageUnavailableException(
                    "The ban cannot be stored, because limiter.max-keys keys are at their limit. Raise"
                            + " limiter.max-keys",
                    null);
        }
        if (state.permitted()) {
            reports.banned(rule, null, charge, state);
        }
    }

    /**
     * Returns whether a ban was not stored where the key is looked up. A storage that replies to reads may reject
     * writes.
     */
    private boolean isLost(Decision state, Charge begun) {
        return AbstractDecision.of(state).sharesState()
                || state.onFailure()
                        .map(how -> how != OnFailure.LOCAL
                                || limiters.peek(begun.rule(), begun.key()).permitted())
                        .orElse(false);
    }

    /** Returns whether a rejection starts a ban, or came after its start. */
    private boolean isLast(Decision rejection) {
        return !(rejection.permitted() && rejection.remaining() > 0) && !isShared(rejection);
    }

    /**
     * Returns whether a decision is not about the key alone: it was made with a share of the limit, or on the overflow
     * state.
     */
    private boolean isShared(Decision decision) {
        return AbstractDecision.of(decision).sharesState() || isByShare(decision);
    }

    /** Returns whether one of several instances decided by its share. */
    private boolean isByShare(Decision decision) {
        return decision.onFailure().filter(OnFailure.LOCAL::equals).isPresent()
                && limiters.storage() instanceof FailoverRateLimiterStorage shared
                && shared.instances() > 1;
    }

    /**
     * Returns the rejection by the ban if the ban had started before, else null. Taking the only permit starts the ban.
     */
    private @Nullable Decision begun(
            RateLimitRule rule, Charge charge, RuleContexts contexts, Decision rejection, Decision state) {
        if (AbstractDecision.of(state).sharesState()) {
            return null;
        }
        if (state.permitted()) {
            reports.banned(rule, contexts, charge, state);
        }
        return rejection.permitted() ? null : banned(charge, state);
    }

    /** Returns a rejection for the rest of the ban. */
    private static Decision banned(Charge charge, Decision state) {
        Duration rest = state.retryAfter().orElse(state.resetAfter());
        return new FixedDecision(charge.rule(), Math.max(rest.toNanos(), 1), FixedDecision.Reason.BANNED);
    }
}
