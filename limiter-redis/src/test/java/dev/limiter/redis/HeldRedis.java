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
    private CompletableFuture<Void> released = CompletableFuture.completedFuture(null);

    HeldRedis(Redis redis) {
        this.redis = redis;
    }

    /** Withholds replies from now on, and forgets earlier calls. */
    synchronized void hold() {
        released = new CompletableFuture<>();
        calls.clear();
        keys.clear();
    }

    /** Executes calls from now on, but replies with a failure. */
    synchronized void fail(RuntimeException failure) {
        released = CompletableFuture.failedFuture(failure);
    }

    void release() {
        CompletableFuture<Void> held;
        synchronized (this) {
            held = released;
        }
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
        return redis.run(script, names, arguments).thenCombine(released, (answer, then) -> answer);
    }

    @Override
    public int slot(byte[] key) {
        return redis.slot(key);
    }

    @Override
    public void close() {}
}
