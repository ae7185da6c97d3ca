package dev.limiter.redis;

import dev.limiter.failover.StorageUnavailableException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Checks whether a server works, with a script on a key of that server. Thread-safe. */
final class NodeProbe {

    /** The most key names tried to find one on a server. */
    private static final int MOST_KEYS = 10_000;

    private final Redis redis;
    private final String keyPrefix;

    /** The keys by the name of the server. */
    private final ConcurrentHashMap<String, byte[]> keys = new ConcurrentHashMap<>();

    NodeProbe(Redis redis, String keyPrefix) {
        this.redis = redis;
        this.keyPrefix = keyPrefix;
    }

    /** Probes a server; {@code node} is the name from {@link Redis#node}, or empty if there is only one. */
    CompletionStage<byte[]> probe(String node) {
        byte[] key = key(node);
        return key == null
                ? CompletableFuture.failedFuture(
                        new StorageUnavailableException("Node " + node + " has no slots", null))
                : redis.run(Scripts.PROBE, new byte[][] {key});
    }

    /** Completes as {@link Redis#answersRead} does for a key on the server. */
    CompletionStage<?> answersRead(String node) {
        byte[] key = key(node);
        return key == null ? CompletableFuture.completedFuture(null) : redis.answersRead(key);
    }

    /** Returns whether a server has slots. */
    boolean hasSlots(String node) {
        return !node.isEmpty() && key(node) != null;
    }

    /** Returns a key on that server, or null if it has no slots any more. */
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
