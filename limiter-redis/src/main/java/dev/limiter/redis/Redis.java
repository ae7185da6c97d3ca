package dev.limiter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The Redis server or cluster that holds the states. Implement this to use a client other than Lettuce: it has to run
 * scripts (EVALSHA, or EVAL if the server does not have the script), and report which keys may be used together. Pass
 * it to {@link RedisRateLimiterStorage#builder}.
 *
 * <p>Implementations are thread-safe and never block. Returned futures may fail with any exception, which counts as an
 * outage. A command that failed must not be sent again later, because it would charge permits that no caller gets.
 */
public interface Redis extends AutoCloseable {

    /** Runs a script, loading it if the server does not have it. All keys are in one {@linkplain #slot slot}. */
    CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments);

    /** Returns the slot of a key. Keys in one script must share a slot; with one server, all do. */
    int slot(byte[] key);

    /** Returns whether slots are on several servers, each of which may fail independently. Defaults to false. */
    default boolean isClustered() {
        return false;
    }

    /**
     * Returns a name of the server that has a slot, or an empty string if unknown. Defaults to one server without a
     * name.
     */
    default String node(int slot) {
        return "";
    }

    /**
     * Completes when the thread that reads replies from the key's server has run. This distinguishes a slow server from
     * a slow client when a reply is late. By default completes at once, so that every late reply counts as a failure of
     * the server.
     */
    default CompletionStage<?> answersRead(byte[] key) {
        return CompletableFuture.completedFuture(null);
    }

    /** Completes when the client has connected or failed to. By default, completes at once. */
    default CompletionStage<?> connected() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Reconnects in the background if possible, because there have been no replies for a while. The current connection
     * is kept until there is another one. Does nothing by default.
     */
    default void reconnect() {}

    @Override
    void close();
}
