package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.TimeSource;
import dev.limiter.failover.StorageListener.Outcome;
import dev.limiter.failover.StorageUnavailableException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One call to a node for a decision. Reports its outcome to the node and the listener. */
final class RemoteCall {

    final NodeHealth node;
    final List<Charge> charges;

    private final RemoteStorage remote;
    private final StorageListener listener;
    private final TimeSource clock;
    private final long begun;
    private final @Nullable Consumer<Outcome> ending;
    private final CompletableFuture<Decision> reply;

    /** Sends the call. */
    RemoteCall(
            RemoteStorage remote, NodeHealth node, List<Charge> charges, StorageListener listener, TimeSource clock) {
        this.remote = remote;
        this.node = node;
        this.charges = charges;
        this.listener = listener;
        this.clock = clock;
        this.begun = clock.epochNanos();
        this.ending = listener.asking(charges);
        this.reply = Timeouts.started(() -> remote.ask(charges));
    }

    /**
     * Returns the decision. Fails with a {@link StorageUnavailableException}, or with an {@link
     * IllegalArgumentException} if the storage does not support the rule. Call this once. After a failure, call {@link
     * #cancel} or {@link #isDecided}.
     */
    CompletableFuture<Decision> within(Budget budget) {
        return node.timeouts().within(reply.copy(), budget).whenComplete((decision, failure) -> {
            if (failure == null) {
                succeeded(decision);
            } else {
                failed(remote.failure(failure));
            }
        });
    }

    /** Cancels the call. A late grant is refunded, even one that has already arrived. */
    void cancel() {
        if (!reply.cancel(true) && !reply.isCompletedExceptionally()) {
            reply.join().giveBack();
        }
    }

    /**
     * Ends the call after memory has decided instead. If memory permitted the request, a late grant is kept, so the
     * limit counts the request once. Otherwise it is refunded. Held permits are always refunded, because only those in
     * memory will be released.
     */
    void isDecided(Decision memory) {
        if (!memory.permitted() || charges.stream().anyMatch(RemoteCall::isHeld)) {
            cancel();
        }
    }

    private static boolean isHeld(Charge charge) {
        return charge.rule().limits().stream().anyMatch(Limit.Concurrency.class::isInstance);
    }

    private void succeeded(Decision decision) {
        end(Outcome.OK);
        listener.asked(Outcome.OK, took());
        node.succeeded(decision.permitted() && charges.stream().anyMatch(charge -> charge.permits() > 0));
    }

    private void failed(RuntimeException failure) {
        if (!(failure instanceof StorageUnavailableException unavailable)) {
            // a mistake in a rule is not a failure of the storage
            end(Outcome.ERROR);
            return;
        }
        Outcome outcome = outcome(unavailable.reason());
        end(outcome);
        listener.asked(outcome, took());
        switch (unavailable.reason()) {
            case BROKEN_STATE -> listener.broken(failure.getMessage());
            case LACKS_RIGHT -> listener.lacksRight(failure.getMessage());
            default -> node.failed(unavailable, begun);
        }
    }

    private static Outcome outcome(Reason reason) {
        return switch (reason) {
            case TIMED_OUT, STOOD_STILL -> Outcome.TIMEOUT;
            case FAILED, NOT_DONE, LACKS_RIGHT -> Outcome.ERROR;
            case BROKEN_STATE -> Outcome.BROKEN_STATE;
        };
    }

    private void end(Outcome outcome) {
        if (ending != null) {
            ending.accept(outcome);
        }
    }

    private Duration took() {
        return Duration.ofNanos(clock.epochNanos() - begun);
    }
}
