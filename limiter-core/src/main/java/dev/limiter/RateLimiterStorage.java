package dev.limiter;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Owns what every key used, and makes check and count one step. Thread-safe. Whether it blocks is up to the
 * implementation: the one in memory never does, one over a network waits no longer than its time budget.
 */
public interface RateLimiterStorage extends AutoCloseable {

    /** Decides one charge. Nothing is charged when it is refused. */
    default Decision decide(Rule rule, String key, long permits) {
        return decide(List.of(new Charge(rule, key, permits)));
    }

    /**
     * Takes one permit if it can be had now, and tells only whether: for callers that want to know nothing else. Storages
     * may do so without allocating anything.
     */
    default boolean take(Rule rule, String key) {
        return decide(rule, key, 1).permitted();
    }

    /**
     * Decides several charges, all or nothing: a refusal charges none. Each takes {@link Charge#permits(int)} of each limit
     * of its rule.
     *
     * @throws IllegalArgumentException if there is no charge
     */
    Decision decide(List<Charge> charges);

    /** The same without blocking the caller. */
    default CompletionStage<Decision> decideAsync(List<Charge> charges) {
        return CompletableFuture.completedFuture(decide(charges));
    }

    /**
     * Whether others elsewhere share the states, so that each decision is a call: then {@link #decide} may block, {@link
     * #decideAsync} does not and always completes, and neither is called with any lock held. Turns do not move up when
     * one in front is given up, and who waits for a release asks again now and then, since {@link #onRelease} tells only
     * what was released here. Default false.
     */
    default boolean isRemote() {
        return false;
    }

    /** The answer of {@code decide} to a charge of one permit; charges nothing and creates no state. */
    Decision peek(Rule rule, String key);

    /** The same without blocking the caller. */
    default CompletionStage<Decision> peekAsync(Rule rule, String key) {
        return CompletableFuture.completedFuture(peek(rule, key));
    }

    /** The same as {@link Decision#giveBack()}. */
    default void giveBack(Decision decision) {
        decision.giveBack();
    }

    /** Forgets what {@code key} used under the rule's name. */
    void reset(Rule rule, String key);

    /** The clock that turns of decisions refer to. */
    default TimeSource clock() {
        return TimeSource.system();
    }

    /** Has a listener told of what is released from now on, too: each is told once, however often it was added. */
    default void onRelease(ReleaseListener listener) {}

    /** Has a listener no longer told of what is released; nothing happens if it was not. */
    default void removeReleaseListener(ReleaseListener listener) {}

    /** How many states are held, counting one for each rule name and key. */
    long size();

    /** Frees what can be freed, in small steps that no decision waits for. */
    default void cleanUp() {}

    @Override
    default void close() {}
}
