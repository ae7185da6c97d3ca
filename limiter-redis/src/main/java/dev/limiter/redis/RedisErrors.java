package dev.limiter.redis;

import dev.limiter.failover.Budget;
import dev.limiter.failover.StorageExceptionTranslator;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.failover.Timeouts;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;

/** Tells a server that cannot be used from a state that cannot be read. */
final class RedisErrors implements StorageExceptionTranslator {

    static final RedisErrors INSTANCE = new RedisErrors();

    /** Waits for answers of Redis. */
    static final Timeouts TIMEOUTS = new Timeouts(INSTANCE);

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

    @Override
    public RuntimeException failure(Throwable failure) {
        return of(failure);
    }

    @Override
    public StorageUnavailableException timedOut(Budget budget) {
        return RedisUnavailableException.timedOut(budget);
    }

    /** The exception to throw when a script failed. Older servers wrap the reason in a text of their own. */
    static RuntimeException of(Throwable failure) {
        Throwable cause = StorageExceptionTranslator.causeOf(failure);
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
            return new RedisUnavailableException("Redis failed: " + cause, cause);
        }
        return OF_THE_SERVER.stream().anyMatch(code -> says(message, code))
                ? RedisUnavailableException.notDone("Redis failed: " + cause, cause)
                : new BrokenStateException(
                        "A state in Redis cannot be read, or the application's script fails: " + message, cause);
    }

    /**
     * Whether the server certainly did nothing. Return scripts put commands that can fail this way first.
     */
    static boolean isNotDone(Throwable failure) {
        return of(failure) instanceof RedisUnavailableException unavailable && unavailable.isNotDone();
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
                String.valueOf(StorageExceptionTranslator.causeOf(failure).getMessage());
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
