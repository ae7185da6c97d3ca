package dev.limiter.redis;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The keys that a server deletes when its memory is full, as far as it tells: not every user may ask. */
public final class EvictionPolicy {

    private static final Script SCRIPT = Script.of(ScriptFiles.read("policy"));

    /** So many names of keys find one on each server that has a hundredth of the slots or more. */
    private static final int MOST_KEYS = 1_000;

    private EvictionPolicy() {}

    /**
     * Asks each server that has slots; does not block.
     *
     * @param keyPrefix below which this user may use keys
     * @return by the name of the server, empty if there is only one: {@code noeviction}, {@code allkeys-lru} and so on;
     *     empty if it does not tell. Fails as the server does
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

    /** Whether limits may be among what is deleted: each of them has an expiry, so all but {@code noeviction} may. */
    public static boolean losesLimits(String policy) {
        return !policy.isEmpty() && !policy.equals("noeviction");
    }
}
