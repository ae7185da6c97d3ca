package dev.limiter.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A server that withholds replies: it executes calls at once, but replies when released, or never. */
final class HeldRedis implements Redis {

    private final Redis redis;
    private final List<Integer> calls = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private final List<CompletableFuture<byte[]>> replies = new ArrayList<>();
    private CompletableFuture<Void> released = CompletableFuture.completedFuture(null);

    HeldRedis(Redis redis) {
        this.redis = redis;
    }

    /** Withholds replies from now on, and forgets earlier calls. */
    synchronized void hold() {
        released = new CompletableFuture<>();
        calls.clear();
        keys.clear();
        replies.clear();
    }

    /** Executes calls from now on, but replies with a failure. */
    synchronized void fail(RuntimeException failure) {
        released = CompletableFuture.failedFuture(failure);
    }

    /**
     * Replies to all calls so far, in this thread. Waits for the server's replies first: otherwise two threads would send
     * the next requests, and nothing determines which call contains which.
     */
    void release() {
        CompletableFuture<Void> held;
        List<CompletableFuture<byte[]>> executed;
        synchronized (this) {
            held = released;
            executed = List.copyOf(replies);
        }
        executed.forEach(reply -> reply.exceptionally(failure -> new byte[0]).join());
        held.complete(null);
    }

    /** Replies again from now on, but not to earlier calls. */
    synchronized void loseWhatIsHeld() {
        released = CompletableFuture.completedFuture(null);
    }

    /** Returns the number of requests in each call. */
    synchronized List<Integer> calls() {
        return List.copyOf(calls);
    }

    synchronized List<String> keys() {
        return List.copyOf(keys);
    }

    @Override
    public synchronized CompletionStage<byte[]> run(Script script, byte[][] names, byte[]... arguments) {
        calls.add(arguments.length);
        for (byte[] name : names) {
            keys.add(new String(name, StandardCharsets.UTF_8));
        }
        CompletableFuture<byte[]> reply = redis.run(script, names, arguments).toCompletableFuture();
        replies.add(reply);
        return reply.thenCombine(released, (answer, then) -> answer);
    }

    @Override
    public int slot(byte[] key) {
        return redis.slot(key);
    }

    @Override
    public void close() {}
}
