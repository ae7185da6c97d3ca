package dev.limiter.spring.decide;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A storage that instances share is no longer asked, because it fails, or is asked again. Told to each {@link
 * RateLimitListener}, and published as an event of the application. A storage that fails again soon after it was found
 * is probed less and less often, so that each node is lost sixteen times in any minute at most.
 *
 * @param state the change
 * @param storage its name: {@code redis}
 * @param node of a cluster, as it names it; empty if there is only one
 * @param cause why it is lost; null if it is found
 * @param at when this instance noticed, by its wall clock
 */
public record StorageEvent(
        State state, String storage, String node, @Nullable Throwable cause, Instant at) {

    /** The change in the state of a storage. */
    public enum State {
        /** It fails: limits are decided as {@code on-failure} of each rule says. */
        LOST,
        /** It decides again. */
        FOUND
    }
}
