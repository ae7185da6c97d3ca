package dev.limiter.redis.server;

import dev.limiter.redis.Redis;
import dev.limiter.redis.Script;
import dev.limiter.redis.script.ScriptAssembly;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

/** The keys that a server deletes when its memory is full, as far as it tells: not every user may ask. */
public final class EvictionPolicy {

    private static final Script SCRIPT = Script.of(ScriptAssembly.file("policy"));

    private EvictionPolicy() {}

    /**
     * Asks a server; does not block.
     *
     * @param keyPrefix below which this user may use keys
     * @return {@code noeviction}, {@code allkeys-lru} and so on; empty if it does not tell. Fails as the server does
     */
    public static CompletionStage<String> of(Redis redis, String keyPrefix) {
        byte[] key = (keyPrefix + "probe").getBytes(StandardCharsets.UTF_8);
        return redis.run(SCRIPT, new byte[][] {key}).thenApply(name -> new String(name, StandardCharsets.UTF_8));
    }

    /** Whether limits may be among what is deleted: each of them has an expiry, so all but {@code noeviction} may. */
    public static boolean losesLimits(String policy) {
        return !policy.isEmpty() && !policy.equals("noeviction");
    }
}
