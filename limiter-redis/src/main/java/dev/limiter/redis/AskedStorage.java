package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Has Redis decide, within the time that a decision may take, once it knows what was granted in memory; and tells how that
 * went. Fails with a {@link RedisUnavailableException} or {@link BrokenStateException}. Thread-safe.
 */
final class AskedStorage {

    /** How often a grant is given back because Redis does not know yet what was granted in memory meanwhile. */
    private static final int MOST_ATTEMPTS = 3;

    private final RedisRateLimiterStorage redis;
    private final OutageUse outageUse;
    private final StorageListener listener;

    AskedStorage(RedisRateLimiterStorage redis, OutageUse outageUse, StorageListener listener) {
        this.redis = redis;
        this.outageUse = outageUse;
        this.listener = listener;
    }

    /** Blocks. {@code node}: that decides on all charges. */
    Decision decide(List<Charge> charges, NodeHealth node) {
        long begun = System.nanoTime();
        try {
            Budget budget = Budget.of(redis.timeout());
            for (int i = 0; i < MOST_ATTEMPTS; i++) {
                CompletableFuture<?> settled = outageUse.settle(charges);
                Timeouts.join(settled, budget);
                CompletableFuture<Decision> answer = redis.ask(charges);
                boolean asked = !answer.isDone();
                Decision decision = Timeouts.join(answer, budget);
                if (isCovered(charges, decision)) {
                    tell(asked, node, begun);
                    return decision;
                }
                decision.giveBack();
            }
            throw RedisUnavailableException.unsettled();
        } catch (RedisUnavailableException | BrokenStateException failure) {
            failed(failure, node, begun);
            throw failure;
        }
    }

    /** The same without blocking. */
    CompletableFuture<Decision> decideLater(List<Charge> charges, NodeHealth node) {
        long begun = System.nanoTime();
        CompletableFuture<Decision> answer = attempt(charges, 1);
        boolean asked = !answer.isDone();
        return Timeouts.within(answer, Budget.of(redis.timeout())).whenComplete((decision, failure) -> {
            if (failure == null) {
                tell(asked, node, begun);
            } else {
                failed(RedisErrors.of(failure), node, begun);
            }
        });
    }

    private CompletableFuture<Decision> attempt(List<Charge> charges, int attempt) {
        CompletableFuture<Decision> answer = outageUse.settle(charges).thenCompose(settled -> redis.ask(charges));
        return answer.thenCompose(decision -> {
            if (isCovered(charges, decision)) {
                return CompletableFuture.completedFuture(decision);
            }
            decision.giveBack();
            return attempt == MOST_ATTEMPTS
                    ? CompletableFuture.failedFuture(RedisUnavailableException.unsettled())
                    : attempt(charges, attempt + 1);
        });
    }

    private boolean isCovered(List<Charge> charges, Decision decision) {
        return !decision.permitted() || outageUse.isCovered(charges);
    }

    /** Redis answered. What is known without it says nothing about Redis. */
    private void tell(boolean asked, NodeHealth node, long begun) {
        if (asked) {
            listener.asked(StorageListener.Outcome.OK, since(begun));
            node.succeeded();
        }
    }

    private void failed(RuntimeException failure, NodeHealth node, long begun) {
        if (failure instanceof BrokenStateException) {
            listener.asked(StorageListener.Outcome.BROKEN_STATE, since(begun));
            listener.broken(failure.getMessage());
            return;
        }
        boolean timedOut = failure instanceof RedisUnavailableException unavailable && unavailable.isTimeout();
        listener.asked(timedOut ? StorageListener.Outcome.TIMEOUT : StorageListener.Outcome.ERROR, since(begun));
        if (failure instanceof RedisUnavailableException unavailable && unavailable.isOfRights()) {
            listener.lacksRight(unavailable.getMessage());
        }
        node.failed(failure, begun);
    }

    private static Duration since(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun);
    }
}
