package dev.limiter.spring.decide;

/**
 * Receives every decision. Declare a bean of this type. Decisions and bans are reported on the thread of the request,
 * so implementations must be thread-safe and quick, and must not block. Changes of the storage are reported on another
 * thread. Exceptions are logged, and do not affect decisions.
 */
@FunctionalInterface
public interface RateLimitListener {

    void onDecision(RateLimitEvent event);

    /**
     * Receives the start of a ban. The requests that it rejects are separate decisions. Does nothing by default.
     *
     * @param event the event of the banning rule, with the outcome {@link Outcome#BANNED} and the key; without a
     *     resource if an operator started the ban
     */
    default void onBan(RateLimitEvent event) {}

    /** Called when the storage becomes unavailable. Does nothing by default. */
    default void onStorageLost(StorageEvent event) {}

    /** Called when the storage is available again. Does nothing by default. */
    default void onStorageFound(StorageEvent event) {}

    /**
     * Returns whether {@link #onDecision} receives decisions with this outcome. Called before each decision, so the
     * result may change. Without an interested listener, no event is created. Defaults to true.
     */
    default boolean hears(Outcome outcome) {
        return true;
    }
}
