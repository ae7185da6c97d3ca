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

/** One call of a node for a decision. Reports its outcome to the node and the listener. */
final class RemoteCall {

    final NodeHealth node;
    final List<Charge> charges;

    private final RemoteStorage remote;
    private final StorageListener listener;
    private final TimeSource clock;
    private final long begun;
    private final @Nullable Consumer<Outcome> ending;
    private final CompletableFuture<Decision> answer;

    /** Sends it. */
    RemoteCall(
            RemoteStorage remote, NodeHealth node, List<Charge> charges, StorageListener listener, TimeSource clock) {
        this.remote = remote;
        this.node = node;
        this.charges = charges;
        this.listener = listener;
        this.clock = clock;
        this.begun = clock.epochNanos();
        this.ending = listener.asking(charges);
        this.answer = Timeouts.started(() -> remote.ask(charges));
    }

    /**
     * The decision. Fails with a {@link StorageUnavailableException}, or with an {@link IllegalArgumentException} where
     * the storage cannot count by a rule. To be called once. Without a decision, call {@link #cancel} or {@link #isDecided}.
     */
    CompletableFuture<Decision> within(Budget budget) {
        return node.timeouts().within(answer.copy(), budget).whenComplete((decision, failure) -> {
            if (failure == null) {
                succeeded(decision);
            } else {
                failed(remote.failure(failure));
            }
        });
    }

    /** A late grant is refunded, also one that has come since the time was up. */
    void cancel() {
        if (!answer.cancel(true) && !answer.isCompletedExceptionally()) {
            answer.join().giveBack();
        }
    }

    /**
     * Memory has decided instead. A late grant pays for the request if memory has permitted it, so the limit counts it
     * once; else it is refunded, as are permits that are held, since only those of memory will be released.
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
            // a mistake in a rule is no failure of the storage
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
