package dev.limiter.redis.server;

import dev.limiter.redis.Redis;
import dev.limiter.redis.Script;
import dev.limiter.redis.script.Arguments;
import dev.limiter.redis.script.ScriptFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Texts that instances tell each other, each for some seconds: one call adds one and reads those of all. The key
 * expires with the last of them. Thread-safe; never blocks.
 */
public final class SharedSamples {

    /** The time for which a text can be read: an instance that asks less often misses some. */
    public static final Duration LIFETIME = Duration.ofSeconds(30);

    /** How many texts a call reads; the next one goes on after them. */
    private static final int MOST = 500;

    private static final long BEGINNING = 1L << 53;
    private static final Script SCRIPT = Script.of(ScriptFiles.read("samples"));

    private final Redis redis;
    private final byte[][] key;
    private volatile long from = BEGINNING;

    /** {@code key}: the whole key in Redis. */
    public SharedSamples(Redis redis, String key) {
        this.redis = redis;
        this.key = new byte[][] {key.getBytes(StandardCharsets.UTF_8)};
    }

    /**
     * Adds a text, of at most 64 kB, and reads all that were added since the last call, some of them once more: this
     * one, those of others, and any other value at that place. Fails as the server does.
     */
    public CompletionStage<List<String>> exchange(String text) {
        byte[] terms = new Arguments(24)
                .number(LIFETIME.toNanos() / 1000)
                .number(from)
                .number(MOST)
                .toArray();
        return redis.run(SCRIPT, key, terms, text.getBytes(StandardCharsets.UTF_8))
                .thenApply(this::read);
    }

    private List<String> read(byte[] answer) {
        ByteBuffer reply = ByteBuffer.wrap(answer);
        from = (long) reply.getDouble();
        List<String> texts = new ArrayList<>();
        while (reply.hasRemaining()) {
            byte[] text = new byte[reply.getInt()];
            reply.get(text);
            texts.add(new String(text, StandardCharsets.UTF_8));
        }
        return texts;
    }
}
