package dev.limiter.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A server whose answers can be held back: what it did at once is heard of when it is released, or never. */
final class HeldRedis implements Redis {

    private final Redis redis;
    private final List<Integer> calls = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private CompletableFuture<Void> released = CompletableFuture.completedFuture(null);

    HeldRedis(Redis redis) {
        this.redis = redis;
    }

    /** From now on; earlier calls are forgotten. */
    synchronized void hold() {
        released = new CompletableFuture<>();
        calls.clear();
        keys.clear();
    }

    /** Does what it is asked for, but says that it failed. */
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

    /** Answers again, but not what it has been asked for so far. */
    synchronized void loseWhatIsHeld() {
        released = CompletableFuture.completedFuture(null);
    }

    /** For how many requests each call was. */
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
