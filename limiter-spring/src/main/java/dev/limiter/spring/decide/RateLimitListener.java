package dev.limiter.spring.decide;

/**
 * Receives every decision, as a bean of this type. Decisions and bans are reported in the thread of the request:
 * implementations are thread-safe, quick, and do not block. The loss and return of the storage are reported in another
 * thread. An exception is logged and changes no decision.
 */
@FunctionalInterface
public interface RateLimitListener {

    void onDecision(RateLimitEvent event);

    /**
     * A ban of a key begins; the requests that it rejects are decisions of their own. Does nothing by default.
     *
     * @param event of the rule that bans, with the outcome {@link Outcome#BANNED} and the key; without a resource if an
     *     operator has banned it
     */
    default void onBan(RateLimitEvent event) {}

    /** The storage is no longer called, because it fails. Does nothing by default. */
    default void onStorageLost(StorageEvent event) {}

    /** The storage is called again. Does nothing by default. */
    default void onStorageFound(StorageEvent event) {}

    /**
     * Whether {@link #onDecision} is to be called for a decision with that outcome. Called before each, so it may change
     * its mind; decisions that no listener wants cost no event. Defaults to true.
     */
    default boolean hears(Outcome outcome) {
        return true;
    }
}
