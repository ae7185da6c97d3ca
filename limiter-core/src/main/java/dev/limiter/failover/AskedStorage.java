package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.TimeSource;
import dev.limiter.failover.StorageUnavailableException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has the remote storage decide, within the time that a decision may take, once it knows what was granted in memory; and
 * tells how that went. Fails with a {@link StorageUnavailableException}. Thread-safe.
 */
final class AskedStorage {

    /** How often a grant is given back because the storage does not know yet what was granted in memory meanwhile. */
    private static final int MOST_ATTEMPTS = 3;

    private final RemoteStorage remote;
    private final Timeouts timeouts;
    private final OutageUse outageUse;
    private final StorageListener listener;
    private final TimeSource clock;

    AskedStorage(RemoteStorage remote, OutageUse outageUse, StorageListener listener, TimeSource clock) {
        this.remote = remote;
        this.timeouts = new Timeouts(remote.errors());
        this.clock = clock;
        this.outageUse = outageUse;
        this.listener = listener;
    }

    /** Blocks. {@code node}: that decides on all charges. */
    Decision decide(List<Charge> charges, NodeHealth node) {
        long begun = clock.epochNanos();
        try {
            Budget budget = Budget.of(remote.timeout());
            for (int i = 0; i < MOST_ATTEMPTS; i++) {
                CompletableFuture<?> settled = outageUse.settle(charges);
                timeouts.join(settled, budget);
                Decision known = remote.known(charges);
                Decision decision = known != null ? known : timeouts.join(remote.ask(charges), budget);
                if (isCovered(charges, decision)) {
                    tell(known == null, node, begun);
                    return decision;
                }
                decision.giveBack();
            }
            throw unsettled();
        } catch (StorageUnavailableException failure) {
            failed(failure, node, begun);
            throw failure;
        }
    }

    /** The same without blocking. */
    CompletableFuture<Decision> decideLater(List<Charge> charges, NodeHealth node) {
        long begun = clock.epochNanos();
        AtomicBoolean asked = new AtomicBoolean();
        CompletableFuture<Decision> answer = attempt(charges, asked, 1);
        return timeouts.within(answer, Budget.of(remote.timeout())).whenComplete((decision, failure) -> {
            if (failure == null) {
                tell(asked.get(), node, begun);
            } else {
                failed(remote.errors().failure(failure), node, begun);
            }
        });
    }

    /** Whether a state cannot be read that the failed call was about. */
    boolean isOfOneState(Throwable failure) {
        return remote.errors().failure(failure) instanceof StorageUnavailableException unavailable
                && unavailable.isOfOneState();
    }

    private CompletableFuture<Decision> attempt(List<Charge> charges, AtomicBoolean asked, int attempt) {
        CompletableFuture<Decision> answer = outageUse.settle(charges).thenCompose(settled -> answer(charges, asked));
        return answer.thenCompose(decision -> {
            if (isCovered(charges, decision)) {
                return CompletableFuture.completedFuture(decision);
            }
            decision.giveBack();
            return attempt == MOST_ATTEMPTS
                    ? CompletableFuture.failedFuture(unsettled())
                    : attempt(charges, asked, attempt + 1);
        });
    }

    private CompletableFuture<Decision> answer(List<Charge> charges, AtomicBoolean asked) {
        Decision known = remote.known(charges);
        asked.set(known == null);
        return known != null ? CompletableFuture.completedFuture(known) : remote.ask(charges);
    }

    private boolean isCovered(List<Charge> charges, Decision decision) {
        return !decision.permitted() || outageUse.isCovered(charges);
    }

    /** The storage answered. What is known without asking says nothing about it. */
    private void tell(boolean asked, NodeHealth node, long begun) {
        if (asked) {
            listener.asked(StorageListener.Outcome.OK, since(begun));
            node.succeeded();
        }
    }

    private void failed(RuntimeException failure, NodeHealth node, long begun) {
        Reason reason =
                failure instanceof StorageUnavailableException unavailable ? unavailable.reason() : Reason.FAILED;
        listener.asked(outcome(reason), since(begun));
        if (reason == Reason.BROKEN_STATE) {
            listener.broken(failure.getMessage());
            return;
        }
        if (reason == Reason.LACKS_RIGHT) {
            listener.lacksRight(failure.getMessage());
        }
        node.failed(failure, begun);
    }

    private static StorageListener.Outcome outcome(Reason reason) {
        return switch (reason) {
            case TIMED_OUT, STOOD_STILL -> StorageListener.Outcome.TIMEOUT;
            case FAILED, UNSETTLED, NOT_DONE, LACKS_RIGHT -> StorageListener.Outcome.ERROR;
            case BROKEN_STATE -> StorageListener.Outcome.BROKEN_STATE;
        };
    }

    private static StorageUnavailableException unsettled() {
        return new StorageUnavailableException(
                "The storage does not know yet of what was granted in memory just now", null, Reason.UNSETTLED);
    }

    private Duration since(long begun) {
        return Duration.ofNanos(clock.epochNanos() - begun);
    }
}
