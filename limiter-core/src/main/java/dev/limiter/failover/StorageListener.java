package dev.limiter.failover;

import dev.limiter.Charge;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Receives the health of a remote storage. Called by threads that decide, so it must be quick and must not throw. */
public interface StorageListener {

    /** The outcome of a call. */
    enum Outcome {
        /** The storage replied. */
        OK,
        /** There was no reply within the time-out. */
        TIMEOUT,
        /** The storage failed or could not be reached. */
        ERROR,
        /** A state could not be read. */
        BROKEN_STATE
    }

    /**
     * A call for a decision begins, in this thread.
     *
     * @return receives the outcome once, in any thread; null, the default, for none
     */
    default @Nullable Consumer<Outcome> asking(List<Charge> charges) {
        return null;
    }

    /** A call for a decision has ended. */
    default void asked(Outcome outcome, Duration took) {}

    /** A node is new; its name is empty if there is only one. */
    default void joined(String node) {}

    /** A node is gone. */
    default void left(String node) {}

    /** The breaker of a node has opened: its charges are decided in another way. */
    default void lost(String node, Throwable cause) {}

    /** The breaker of a node has closed. */
    default void found(String node) {}

    /**
     * The storage's user lacks a right (ACL), so a decision was made in another way, or a probe failed. Called each
     * time, maybe once a second.
     */
    default void lacksRight(@Nullable String message) {}

    /** A state could not be read, so a decision was made in another way. */
    default void broken(@Nullable String message) {}
}
