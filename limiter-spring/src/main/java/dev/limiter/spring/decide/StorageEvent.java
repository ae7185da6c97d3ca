package dev.limiter.spring.decide;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Reports that a shared storage became unavailable or available again. Each {@link RateLimitListener} receives it, and
 * it is published as an application event. A storage that fails repeatedly is probed less and less often, so that there
 * are at most sixteen losses of a node in any minute.
 *
 * @param state the change
 * @param storage the name of the storage: {@code redis}
 * @param node the node of a cluster; empty if there is only one
 * @param cause the cause of the loss; null if it is found
 * @param at the time when this instance detected it, by its wall clock
 */
public record StorageEvent(
        State state, String storage, String node, @Nullable Throwable cause, Instant at) {

    /** The change in the state of a storage. */
    public enum State {
        /** It is unavailable: decisions follow {@code on-failure} of each rule. */
        LOST,
        /** It is available again. */
        FOUND
    }
}
