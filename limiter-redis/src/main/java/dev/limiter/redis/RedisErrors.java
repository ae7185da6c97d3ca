package dev.limiter.redis;

import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.failover.StorageUnavailableException.Reason;
import dev.limiter.failover.Timeouts;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Distinguishes a server that cannot be used from a state that cannot be read. */
final class RedisErrors {

    /** Waits for replies of Redis. */
    static final Timeouts TIMEOUTS = new Timeouts(RedisErrors::of);

    /** Error codes of a server that is out of memory, a replica, still loading and so on. */
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

    /** All permissions that limits need except for keys, in the syntax of {@code ACL SETUSER}. */
    static final String RIGHTS = "+eval +evalsha +time +get +set +del +unlink +exists +type +rename +pttl +pexpire"
            + " +lrange +lindex +lset +ltrim +rpush +llen +zscore +zadd +zrem +zincrby +zrangebyscore +zrevrange"
            + " +zremrangebyscore +zcard";

    /** Error texts of a missing permission, of servers from 6.2 on. */
    private static final List<String> OF_RIGHTS = List.of(
            "NOPERM", "can't run this command", "can't access at least one of the keys", "ACL failure in script");

    private static final int MOST_CAUSES = 20;

    private RedisErrors() {}

    /** Returns the exception to throw for a failed script. Older servers wrap the reason in another message. */
    static RuntimeException of(Throwable failure) {
        Throwable cause = StorageUnavailableException.causeOf(failure);
        if (cause instanceof IllegalArgumentException illegal) {
            return illegal;
        }
        if (cause instanceof StorageUnavailableException known) {
            return known;
        }
        String message = String.valueOf(cause.getMessage());
        if (OF_RIGHTS.stream().anyMatch(message::contains)) {
            return new StorageUnavailableException(
                    "The Redis user of limits lacks a right: " + message
                            + ". It needs the keys below limiter.redis.key-prefix (such as ~limiter:*) and " + RIGHTS,
                    cause,
                    Reason.LACKS_RIGHT);
        }
        if (!(cause instanceof RedisCommandExecutionException)) {
            return new StorageUnavailableException("Redis failed: " + cause, cause);
        }
        return OF_THE_SERVER.stream().anyMatch(code -> hasCode(message, code))
                ? notDone("Redis failed: " + cause, cause)
                : new StorageUnavailableException(
                        "A state in Redis cannot be read: " + message, cause, Reason.BROKEN_STATE);
    }

    /**
     * Returns whether the server certainly changed nothing. The scripts for returns run commands that can fail in this
     * way first.
     */
    static boolean isNotDone(Throwable failure) {
        return of(failure) instanceof StorageUnavailableException unavailable
                && unavailable.reason() == Reason.NOT_DONE;
    }

    /** Creates a failure of a command that was not sent, or was rejected as a whole. */
    static StorageUnavailableException notDone(String message, @Nullable Throwable cause) {
        return new StorageUnavailableException(message, cause, Reason.NOT_DONE);
    }

    /**
     * Returns the failure with its root cause. Clients report that they cannot connect, but not the wrong password
     * behind it.
     */
    static String reason(Throwable failure) {
        Throwable first = failure;
        for (int depth = 0; depth < MOST_CAUSES && first.getCause() != null; depth++) {
            first = first.getCause();
        }
        return first == failure ? failure.toString() : failure + ", caused by: " + first.getMessage();
    }

    /**
     * Returns whether a server did nothing because it could not do everything in one call, so that each may succeed
     * alone.
     */
    static boolean isOfGoingTogether(Throwable failure) {
        String message =
                String.valueOf(StorageUnavailableException.causeOf(failure).getMessage());
        return message.startsWith("CROSSSLOT ")
                || message.startsWith("TRYAGAIN ")
                || message.contains("Error compiling script");
    }

    private static boolean hasCode(String message, String code) {
        return message.startsWith(code + " ")
                || message.contains(" " + code + " ")
                || message.contains("-" + code + " ");
    }
}
