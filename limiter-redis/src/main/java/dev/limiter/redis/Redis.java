package dev.limiter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The Redis server, or cluster of them, that holds the states. This is where another client than Lettuce goes in: all
 * that limits need of one is to run a script (EVALSHA, and EVAL where the server does not know it), and to tell which keys may go together. {@link RedisRateLimiterStorage#builder} takes it.
 *
 * <p>Thread-safe; never blocks. Everything it returns may fail with whatever the client fails with; that is an outage.
 * A command that fails must not be sent again later: it would charge permits that no caller gets.
 */
public interface Redis extends AutoCloseable {

    /** Runs a script, loading it where it is not known. All keys are in one {@linkplain #slot slot}. */
    CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments);

    /** The slot that keys must share to be used in one script; the same for all where there is only one server. */
    int slot(byte[] key);

    /** Whether slots are on several servers, of which one may fail alone. Default: they are not. */
    default boolean isClustered() {
        return false;
    }

    /** Any name of the server of a slot; empty if it is not known. Default: there is only one. */
    default String node(int slot) {
        return "";
    }

    /**
     * Completes when the reader thread of the key's server has run. Tells a slow server from a slow client when an
     * answer is late. Default: at once, so that every late answer counts against the server.
     */
    default CompletionStage<?> answersRead(byte[] key) {
        return CompletableFuture.completedFuture(null);
    }

    /** Complete once it is connected, or has failed to. Default: it is. */
    default CompletionStage<?> connected() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Connects anew in the background, if that can be done, since there have been no answers for a while. The
     * connection that there is stays until there is another one. Default: does nothing.
     */
    default void reconnect() {}

    @Override
    void close();
}
