package dev.limiter.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Is told how a storage that can fail fares. Called by those who decide: has to be quick, and must not throw. */
public interface StorageListener {

    /** What became of asking Redis. */
    enum Outcome {
        /** It answered. */
        OK,
        /** It did not answer within the time-out. */
        TIMEOUT,
        /** It failed, or could not be reached. */
        ERROR,
        /** Under the name of a state was something else. */
        BROKEN_STATE
    }

    /** Redis was asked; {@code took} is how long that took. */
    default void asked(Outcome outcome, Duration took) {}

    /** A server is asked from now on, by the id that a cluster gives it; empty if there is only one. */
    default void joined(String node) {}

    /** There is no such server any more. */
    default void left(String node) {}

    /** From now on Redis is not asked, because it fails. */
    default void lost(Throwable cause) {}

    /** Redis is asked again. */
    default void found() {}

    /** The same of one server, by the id that a cluster gives it; empty if there is only one. Default: {@link #lost}. */
    default void lost(String node, Throwable cause) {
        lost(cause);
    }

    /** The same of one server; see {@link #lost(String, Throwable)}. Default: {@link #found}. */
    default void found(String node) {
        found();
    }

    /** The user that limits connect with lacks a right (ACL), which was decided on, or given up, in another way. */
    default void lacksRight(@Nullable String message) {}

    /** A state could not be read, and was decided on in another way. */
    default void broken(@Nullable String message) {}
}
