package dev.limiter;

import dev.limiter.spi.ReleaseListener;
import dev.limiter.spi.ReleaseListeners;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Holds the state of every key, and makes check and count one atomic step. Thread-safe. The storage in memory never
 * blocks; one over a network blocks for no longer than its time-out, and then throws a {@link RuntimeException} unless
 * it decides some other way.
 */
public interface RateLimiterStorage extends AutoCloseable {

    /** Decides one charge; a rejection charges no permit. */
    default Decision decide(Rule rule, String key, long permits) {
        return decide(List.of(new Charge(rule, key, permits)));
    }

    /**
     * Takes one permit if it can be had now, and tells only whether: for callers that want to know nothing else.
     * Storages may do so without allocating anything.
     */
    default boolean take(Rule rule, String key) {
        return decide(rule, key, 1).permitted();
    }

    /**
     * Decides several charges, all or nothing: a rejection charges none. Each takes {@link Charge#permits(int)} of each
     * limit of its rule.
     *
     * @throws IllegalArgumentException if there is no charge
     */
    Decision decide(List<Charge> charges);

    /** {@link #decide} without blocking the caller. */
    default CompletionStage<Decision> decideAsync(List<Charge> charges) {
        return CompletableFuture.completedFuture(decide(charges));
    }

    /**
     * Whether the states are shared with other instances, so that each decision is a call: then {@link #decide} may
     * block, {@link #decideAsync} does not and always completes, and neither is called with any lock held. The head of
     * a queue tries again from time to time, since {@link #onRelease} reports only releases of this instance. Default
     * false.
     */
    default boolean isRemote() {
        return false;
    }

    /**
     * The answer of {@link #decide(List)} to these charges; charges nothing and creates no state.
     *
     * @throws IllegalArgumentException if there is no charge
     */
    Decision peek(List<Charge> charges);

    /** The same for one permit. */
    default Decision peek(Rule rule, String key) {
        return peek(List.of(rule.charge(key)));
    }

    /** {@link #peek(List)} without blocking the caller. */
    default CompletionStage<Decision> peekAsync(List<Charge> charges) {
        return CompletableFuture.completedFuture(peek(charges));
    }

    /** Forgets the use of {@code key} under the rule's name. */
    void reset(Rule rule, String key);

    /**
     * The clock that turns of decisions refer to; default that of the system. A storage that goes by another one
     * returns it: by the wrong clock, requests that wait leave too early or too late.
     */
    default TimeSource clock() {
        return TimeSource.system();
    }

    /**
     * Adds a listener for releases and refunds from now on; one that was added several times is called once per release. {@link
     * ReleaseListeners} keeps them. The default reports none: then the head of each queue tries again
     * every 25 ms (less often with more than a hundred queues), and a request may be let in as much later.
     */
    default void onRelease(ReleaseListener listener) {
        listener.unreported();
    }

    /** Removes a listener; does nothing if it was not added. */
    default void removeReleaseListener(ReleaseListener listener) {}

    /** The number of states held: one for each rule name and key. */
    long size();

    /** Frees the memory of expired states, in small steps; decisions do not wait for it. */
    default void cleanUp() {}

    @Override
    default void close() {}
}
