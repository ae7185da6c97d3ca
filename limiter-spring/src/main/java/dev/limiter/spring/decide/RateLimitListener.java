package dev.limiter.spring.decide;

/**
 * Beans of this type are told of each outcome, on the thread of the request: they should be quick, and thread-safe. What
 * befalls the storage they are told by a thread of its own.
 */
@FunctionalInterface
public interface RateLimitListener {

    void onDecision(RateLimitEvent event);

    /**
     * A ban of a key begins; the requests that it refuses are decisions of their own. Does nothing by default.
     *
     * @param event of the rule that bans, with the outcome {@link Outcome#BANNED} and the key; without a resource if an operator has
     *     banned it
     */
    default void onBan(RateLimitEvent event) {}

    /** The storage is no longer asked, because it fails. Does nothing by default. */
    default void onStorageLost(StorageEvent event) {}

    /** The storage is asked again. Does nothing by default. */
    default void onStorageFound(StorageEvent event) {}

    /** Whether it is told of that outcome: asked once, at the start. All by default; what nobody hears costs nothing. */
    default boolean hears(Outcome outcome) {
        return true;
    }
}
