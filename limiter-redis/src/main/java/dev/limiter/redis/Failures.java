package dev.limiter.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Tells a server that cannot be used from a state that cannot be read. */
final class Failures {

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

    private Failures() {}

    /** What to fail with when a script failed. Older servers wrap the reason in a text of their own. */
    static RuntimeException of(Throwable failure) {
        Throwable cause = causeOf(failure);
        if (cause instanceof IllegalArgumentException illegal) {
            return illegal;
        }
        if (cause instanceof RedisUnavailableException unavailable) {
            return unavailable;
        }
        if (cause instanceof BrokenStateException known) {
            return known;
        }
        String message = String.valueOf(cause.getMessage());
        if (Rights.isMissing(message)) {
            return new RedisUnavailableException(Rights.explain(message), cause);
        }
        boolean broken = cause instanceof RedisCommandExecutionException
                && OF_THE_SERVER.stream().noneMatch(code -> says(message, code));
        return broken
                ? new BrokenStateException("A state in Redis cannot be read: " + message, cause)
                : new RedisUnavailableException("Redis failed: " + cause, cause);
    }

    /** Whether a server has done nothing because it could not do all at once: then each may still be had alone. */
    static boolean isOfGoingTogether(Throwable failure) {
        String message = String.valueOf(causeOf(failure).getMessage());
        return message.startsWith("CROSSSLOT ") || message.startsWith("TRYAGAIN ");
    }

    private static Throwable causeOf(Throwable failure) {
        boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
        Throwable inner = failure.getCause();
        return wrapped && inner != null ? inner : failure;
    }

    private static boolean says(String message, String code) {
        return message.startsWith(code + " ")
                || message.contains(" " + code + " ")
                || message.contains("-" + code + " ");
    }
}
