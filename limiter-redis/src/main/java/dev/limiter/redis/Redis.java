package dev.limiter.redis;

import java.util.concurrent.CompletionStage;

/**
 * The Redis server, or cluster of them, that holds the states. Thread-safe; never blocks. Everything it returns may fail
 * with whatever the client fails with.
 */
public interface Redis extends AutoCloseable {

    /** Runs a script, loading it where it is not known. All keys are in one {@linkplain #slot slot}. */
    CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments);

    /** Forgets keys that are in one slot. */
    CompletionStage<Void> delete(byte[][] keys);

    /** What keys must have in common to be used in one script; the same for all where there is only one server. */
    int slot(byte[] key);

    /**
     * Connects anew in the background, if that can be done, since there have been no answers for a while. The connection
     * that there is stays until there is another one. Default: does nothing.
     */
    default void reconnect() {}

    @Override
    void close();
}
