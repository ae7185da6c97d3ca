package dev.limiter.spring.decide;

/**
 * Hears of each outcome, as a bean of this type. Decisions and bans are told on the thread of the request:
 * implementations are thread-safe, and should be quick and not block. The loss and return of the storage are told on a
 * thread of their own. An exception is logged and changes no decision.
 */
@FunctionalInterface
public interface RateLimitListener {

    void onDecision(RateLimitEvent event);

    /**
     * A ban of a key begins; the requests that it refuses are decisions of their own. Does nothing by default.
     *
     * @param event of the rule that bans, with the outcome {@link Outcome#BANNED} and the key; without a resource if an
     *     operator has banned it
     */
    default void onBan(RateLimitEvent event) {}

    /** The storage is no longer asked, because it fails. Does nothing by default. */
    default void onStorageLost(StorageEvent event) {}

    /** The storage is asked again. Does nothing by default. */
    default void onStorageFound(StorageEvent event) {}

    /**
     * Whether it hears of that outcome: asked once, at the start. Default: all; outcomes without a listener cost
     * nothing.
     */
    default boolean hears(Outcome outcome) {
        return true;
    }
}
