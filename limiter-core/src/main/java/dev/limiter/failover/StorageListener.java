package dev.limiter.failover;

import dev.limiter.Charge;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the health of a remote storage. Called by deciding threads, so implementations must be fast and must not
 * throw.
 */
public interface StorageListener {

    /** The outcome of a call. */
    enum Outcome {
        /** The storage replied. */
        OK,
        /** There was no reply within the timeout. */
        TIMEOUT,
        /** The storage failed or could not be reached. */
        ERROR,
        /** A state could not be read. */
        BROKEN_STATE
    }

    /**
     * Called before a call for a decision, in the deciding thread.
     *
     * @return receives the outcome once, in any thread; null (the default) to ignore it
     */
    default @Nullable Consumer<Outcome> asking(List<Charge> charges) {
        return null;
    }

    /** Called when a call for a decision has ended. */
    default void asked(Outcome outcome, Duration took) {}

    /** Called when a node is found; its name is empty if there is only one. */
    default void joined(String node) {}

    /** Called when a node is gone. */
    default void left(String node) {}

    /** Called when the breaker of a node has opened: the fallback decides its charges. */
    default void lost(String node, Throwable cause) {}

    /** Called when the breaker of a node has closed. */
    default void found(String node) {}

    /**
     * Called when the storage's user lacks a permission (ACL), so that the fallback decided, or a probe failed. May be
     * called once a second.
     */
    default void lacksRight(@Nullable String message) {}

    /** Called when a state could not be read, so that the fallback decided. */
    default void broken(@Nullable String message) {}
}
