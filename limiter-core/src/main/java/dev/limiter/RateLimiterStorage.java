package dev.limiter;

import dev.limiter.spi.ReleaseListener;
import dev.limiter.spi.ReleaseListeners;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Holds the state of every key, and checks and counts in one atomic step. Implementations are thread-safe. The
 * in-memory storage never blocks. A remote storage blocks for at most its timeout, then throws a {@link
 * RuntimeException} unless it can decide in another way.
 */
public interface RateLimiterStorage extends AutoCloseable {

    /** Decides one charge. A rejection charges nothing. */
    default Decision decide(Rule rule, String key, long permits) {
        return decide(List.of(rule.charge(key, permits)));
    }

    /**
     * Takes one permit if it is available now, and returns whether it was. Implementations can avoid allocating a
     * decision.
     */
    default boolean take(Rule rule, String key) {
        return decide(rule, key, 1).permitted();
    }

    /**
     * Decides several charges, all or nothing: a rejection charges nothing. Each charge takes {@link
     * Charge#permits(int)} from each limit of its rule.
     *
     * @throws IllegalArgumentException if there is no charge
     */
    Decision decide(List<Charge> charges);

    /** Decides like {@link #decide(List)}, without blocking the caller. */
    default CompletionStage<Decision> decideAsync(List<Charge> charges) {
        return CompletableFuture.completedFuture(decide(charges));
    }

    /**
     * Returns whether the state is shared with other instances, so that each decision is a remote call. Defaults to
     * false.
     *
     * <p>If true, {@link #decide} may block, whereas {@link #decideAsync} never blocks and always completes; neither is
     * called while holding a lock. The head of a queue retries periodically, because {@link #onRelease} reports only
     * the releases of this instance.
     */
    default boolean isRemote() {
        return false;
    }

    /**
     * Returns the decision that {@link #decide(List)} would make. Charges nothing and creates no state.
     *
     * @throws IllegalArgumentException if there is no charge
     */
    Decision peek(List<Charge> charges);

    /** Returns the decision for one permit; see {@link #peek(List)}. */
    default Decision peek(Rule rule, String key) {
        return peek(List.of(rule.charge(key)));
    }

    /** Does the same as {@link #peek(List)}, without blocking the caller. */
    default CompletionStage<Decision> peekAsync(List<Charge> charges) {
        return CompletableFuture.completedFuture(peek(charges));
    }

    /** Deletes the state of {@code key} under the rule's name. */
    void reset(Rule rule, String key);

    /**
     * Returns the clock that the turns of decisions refer to; defaults to the system clock. A storage with another
     * clock has to return it, or waiting requests proceed too early or too late.
     */
    default TimeSource clock() {
        return TimeSource.system();
    }

    /**
     * Registers a listener for later releases and refunds. A listener that is registered several times is called once
     * per release; {@link ReleaseListeners} implements this.
     *
     * <p>By default, no release is reported. The head of each queue then retries every 25 ms (less often with more than
     * a hundred queues). A request may be admitted that much later.
     */
    default void onRelease(ReleaseListener listener) {
        listener.unreported();
    }

    /** Removes a listener; does nothing if it was not registered. */
    default void removeReleaseListener(ReleaseListener listener) {}

    /** Returns the number of states: one per rule name and key. */
    long size();

    /** Frees the memory of expired states in small steps, without delaying decisions. */
    default void cleanUp() {}

    @Override
    default void close() {}
}
