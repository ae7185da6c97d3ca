package dev.limiter.redis;

import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.failover.StorageUnavailableException.Reason;
import dev.limiter.failover.Timeouts;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells a server that cannot be used from a state that cannot be read. */
final class RedisErrors {

    /** Waits for answers of Redis. */
    static final Timeouts TIMEOUTS = new Timeouts(RedisErrors::of);

    /** How a server says that it is out of memory, a replica, still loading and so on. */
    private static final List<String> OF_THE_SERVER = List.of(
            "OOM",
            "READONLY",
            "MISCONF",
            "LOADING",
            "CLUSTERDOWN",
            "MASTERDOWN",
            "TRYAGAIN",
            "BUSY",
            "NOAUTH",
            "NOREPLICAS",
            "WRONGPASS",
            "EXECABORT",
            "NOSCRIPT",
            "MOVED",
            "ASK",
            "CROSSSLOT");

    private static final int MOST_CAUSES = 20;

    private RedisErrors() {}

    /** The exception to throw when a script failed. Older servers wrap the reason in a text of their own. */
    static RuntimeException of(Throwable failure) {
        Throwable cause = StorageUnavailableException.causeOf(failure);
        if (cause instanceof IllegalArgumentException illegal) {
            return illegal;
        }
        if (cause instanceof StorageUnavailableException known) {
            return known;
        }
        String message = String.valueOf(cause.getMessage());
        if (AclRights.isMissing(message)) {
            return AclRights.explained(cause);
        }
        if (!(cause instanceof RedisCommandExecutionException)) {
            return new StorageUnavailableException("Redis failed: " + cause, cause);
        }
        return OF_THE_SERVER.stream().anyMatch(code -> says(message, code))
                ? notDone("Redis failed: " + cause, cause)
                : new StorageUnavailableException(
                        "A state in Redis cannot be read: " + message, cause, Reason.BROKEN_STATE);
    }

    /**
     * Whether the server certainly did nothing. Return scripts put commands that can fail this way first.
     */
    static boolean isNotDone(Throwable failure) {
        return reasonOf(failure) == Reason.NOT_DONE;
    }

    /** Whether the user of Redis lacks a right. */
    static boolean isOfRights(Throwable failure) {
        return reasonOf(failure) == Reason.LACKS_RIGHT;
    }

    private static @Nullable Reason reasonOf(Throwable failure) {
        return of(failure) instanceof StorageUnavailableException unavailable ? unavailable.reason() : null;
    }

    /** The command was not sent, or rejected as a whole. */
    static StorageUnavailableException notDone(String message, @Nullable Throwable cause) {
        return new StorageUnavailableException(message, cause, Reason.NOT_DONE);
    }

    /**
     * The failure with its first cause: a client reports that it cannot connect, but not the wrong password behind
     * that.
     */
    static String reason(Throwable failure) {
        Throwable first = failure;
        for (int depth = 0; depth < MOST_CAUSES && first.getCause() != null; depth++) {
            first = first.getCause();
        }
        return first == failure ? failure.toString() : failure + ", because: " + first.getMessage();
    }

    /** Whether a server has done nothing because it could not do all at once: then each may still be had alone. */
    static boolean isOfGoingTogether(Throwable failure) {
        String message =
                String.valueOf(StorageUnavailableException.causeOf(failure).getMessage());
        return message.startsWith("CROSSSLOT ")
                || message.startsWith("TRYAGAIN ")
                || message.contains("Error compiling script");
    }

    private static boolean says(String message, String code) {
        return message.startsWith(code + " ")
                || message.contains(" " + code + " ")
                || message.contains("-" + code + " ");
    }
}
