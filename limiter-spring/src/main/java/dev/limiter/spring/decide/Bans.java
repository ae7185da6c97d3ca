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
 * Rejects keys outright that were rejected too often. A rejection takes a permit of {@link Ban#rejections()}; the last
 * one also takes the only permit of {@link Ban#bans()}, which comes back at the end of the ban. The storage decides
 * both like any limit, so the number of rejections before a ban is exact for any number of threads: a request after the
 * last one is banned already. Rejections during a ban do not count, so it ends on time. A key shared by clients that it
 * does not tell apart is never banned: one client would have all others banned. The same holds for a state that keys
 * share for want of room. While an instance decides by its share of the limits, it begins no bans by itself: the whole
 * limit may have been kept. Thread-safe.
 */
final class Bans {

    private static final CompletableFuture<@Nullable Decision> NONE = completedFuture(null);

    private final RateLimiters limiters;
    private final DecisionReports reports;

    Bans(RateLimiters limiters, DecisionReports reports) {
        this.limiters = limiters;
        this.reports = reports;
    }

    /** The rejection of a key that is banned; null if it is not. */
    CompletableFuture<@Nullable Decision> current(StorageCalls storage, Ban ban, Charge charge) {
        return then(
                storage.peek(ban.bans(), charge.key()),
                state -> Ban.isInForce(state) ? completedFuture(banned(charge, state)) : NONE);
    }

    /** Counts a rejection; the rejection of a key that had too many before it, null if this is still one of them. */
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
     * Begins a ban; nothing happens if the key is banned.
     *
     * @throws StorageUnavailableException if neither the shared storage nor the memory of this instance keeps the ban
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
                    "There is no room for a ban: as many keys as limiter.max-keys says are at their limit", null);
        }
        if (state.permitted()) {
            reports.banned(rule, null, charge, state);
        }
    }

    /** Whether a ban was not begun where the key is looked up: a storage that answers reads may reject writes. */
    private boolean isLost(Decision state, Charge begun) {
        return AbstractDecision.of(state).sharesState()
                || state.onFailure()
                        .map(how -> how != OnFailure.LOCAL
                                || limiters.peek(begun.rule(), begun.key()).permitted())
                        .orElse(false);
    }

    /** Whether a rejection is the last one before a ban, or came after it. */
    private boolean isLast(Decision rejection) {
        return !(rejection.permitted() && rejection.remaining() > 0) && !isShared(rejection);
    }

    /** Whether a decision says too little of a key: made by a share of the limit, or on a state of several keys. */
    private boolean isShared(Decision decision) {
        return AbstractDecision.of(decision).sharesState() || isByShare(decision);
    }

    /** Whether one of several instances has decided by its share. */
    private boolean isByShare(Decision decision) {
        return decision.onFailure().filter(OnFailure.LOCAL::equals).isPresent()
                && limiters.storage() instanceof FailoverRateLimiterStorage shared
                && shared.instances() > 1;
    }

    /**
     * The rejection of a rejection that came after the last one; a rejection that took the only permit has begun the ban.
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

    /** The request that begins a ban is rejected for its time like all others. */
    private static Decision banned(Charge charge, Decision state) {
        Duration rest = state.retryAfter().orElse(state.resetAfter());
        return new FixedDecision(charge.rule(), Math.max(rest.toNanos(), 1), FixedDecision.Reason.BANNED);
    }
}
