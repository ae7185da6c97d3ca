package dev.limiter.failover;

import dev.limiter.Charge;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Is told how a remote storage fares. Called by threads that decide: has to be quick, and must not throw. */
public interface StorageListener {

    /** How asking the storage went. */
    enum Outcome {
        /** It answered. */
        OK,
        /** It did not answer within the time-out. */
        TIMEOUT,
        /** It failed, or could not be reached. */
        ERROR,
        /** A state could not be read. */
        BROKEN_STATE
    }

    /**
     * The storage is about to be asked for a decision. Called in the thread that asks.
     *
     * @return what is told once how that went, in any thread; null, as by default, if nothing is
     */
    default @Nullable Consumer<Outcome> asking(List<Charge> charges) {
        return null;
    }

    /** The storage was asked; {@code took} is how long that took. */
    default void asked(Outcome outcome, Duration took) {}

    /** A node is asked from now on, by the name that the storage gives it; empty if there is only one. */
    default void joined(String node) {}

    /** There is no such node any more. */
    default void left(String node) {}

    /** From now on a node is not asked, because it fails. */
    default void lost(String node, Throwable cause) {}

    /** A node is asked again. */
    default void found(String node) {}

    /**
     * The user that limits connect with lacks a right (ACL): a decision was made, or given up, in another way, or a
     * probe failed. Told each time, maybe once a second.
     */
    default void lacksRight(@Nullable String message) {}

    /** A state could not be read, and was decided on in another way. */
    default void broken(@Nullable String message) {}
}
