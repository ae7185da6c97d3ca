package dev.limiter.redis;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Reads which keys a server deletes when its memory is full, if the user has the permission. */
public final class EvictionPolicy {

    private static final Script SCRIPT = Script.of(ScriptFiles.read("policy"));

    /** Enough key names to find one on each server that has at least a hundredth of the slots. */
    private static final int MOST_KEYS = 1_000;

    private EvictionPolicy() {}

    /**
     * Reads the policy of each server that has slots. Does not block.
     *
     * @param keyPrefix the prefix of keys that this user may access
     * @return the policy by the name of the server (empty if there is only one), such as {@code noeviction}; empty if
     *     the user lacks the permission. Fails as the server does
     */
    public static Map<String, CompletionStage<String>> ofEach(Redis redis, String keyPrefix) {
        Map<String, CompletionStage<String>> policies = new LinkedHashMap<>();
        if (!redis.isClustered()) {
            policies.put("", of(redis, keyPrefix + "probe"));
            return policies;
        }
        for (int i = 0; i < MOST_KEYS; i++) {
            String key = keyPrefix + "probe{" + i + "}";
            String node = redis.node(redis.slot(key.getBytes(StandardCharsets.UTF_8)));
            if (!node.isEmpty()) {
                policies.computeIfAbsent(node, name -> of(redis, key));
            }
        }
        return policies;
    }

    private static CompletionStage<String> of(Redis redis, String key) {
        byte[][] keys = {key.getBytes(StandardCharsets.UTF_8)};
        return redis.run(SCRIPT, keys).thenApply(name -> new String(name, StandardCharsets.UTF_8));
    }

    /**
     * Returns whether the server may delete limits. They expire, so this is true for all policies except {@code
     * noeviction}.
     */
    public static boolean losesLimits(String policy) {
        return !policy.isEmpty() && !policy.equals("noeviction");
    }
}
