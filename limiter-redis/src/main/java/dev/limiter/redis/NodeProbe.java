package dev.limiter.redis;

import dev.limiter.failover.StorageUnavailableException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Finds out whether a server works, by a script with a key that is on it. Thread-safe. */
final class NodeProbe {

    /** More names of keys than that need not be tried to find one on a server. */
    private static final int MOST_KEYS = 10_000;

    private final Redis redis;
    private final String keyPrefix;

    /** The keys by the name of the server. */
    private final ConcurrentHashMap<String, byte[]> keys = new ConcurrentHashMap<>();

    NodeProbe(Redis redis, String keyPrefix) {
        this.redis = redis;
        this.keyPrefix = keyPrefix;
    }

    /** {@code node}: as {@link Redis#node} names it; empty if there is only one. */
    CompletionStage<byte[]> probe(String node) {
        byte[] key = key(node);
        return key == null
                ? CompletableFuture.failedFuture(new StorageUnavailableException("No slot is on " + node, null))
                : redis.run(Scripts.PROBE, new byte[][] {key});
    }

    /** Complete as {@link Redis#answersRead} of a key that is on the server. */
    CompletionStage<?> answersRead(String node) {
        byte[] key = key(node);
        return key == null ? CompletableFuture.completedFuture(null) : redis.answersRead(key);
    }

    /** Whether a server is one of those that have slots. */
    boolean hasSlots(String node) {
        return !node.isEmpty() && key(node) != null;
    }

    /** A key that is on that server; null if there is none any more. */
    private byte @Nullable [] key(String node) {
        byte[] known = keys.get(node);
        if (known != null && isOn(node, known)) {
            return known;
        }
        for (int i = 0; i < MOST_KEYS; i++) {
            byte[] key = (keyPrefix + "probe" + (node.isEmpty() ? "" : "{" + i + "}")).getBytes(StandardCharsets.UTF_8);
            if (isOn(node, key)) {
                keys.put(node, key);
                return key;
            }
        }
        keys.remove(node);
        return null;
    }

    private boolean isOn(String node, byte[] key) {
        return node.isEmpty() || redis.node(redis.slot(key)).equals(node);
    }
}
