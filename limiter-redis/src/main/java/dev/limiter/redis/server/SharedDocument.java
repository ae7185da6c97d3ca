package dev.limiter.redis.server;

import dev.limiter.redis.Redis;
import dev.limiter.redis.Script;
import dev.limiter.redis.script.ScriptTexts;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A text that instances share, with a version: whoever replaces it has seen what it replaces. It is kept until it is
 * replaced. Thread-safe; never blocks.
 */
public final class SharedDocument {

    private static final Script SCRIPT = Script.of(ScriptTexts.file("document"));

    private static final String REPLACED = "replaced";

    private final Redis redis;
    private final byte[][] key;

    /** {@code key}: the whole key in Redis. */
    public SharedDocument(Redis redis, String key) {
        this.redis = redis;
        this.key = new byte[][] {bytes(key)};
    }

    /**
     * A version of the text.
     *
     * @param number 0 if there is none
     */
    public record Version(long number, String text) {}

    /** The text, if its version is another one than is known, else null. Fails as the server does. */
    public CompletionStage<@Nullable Version> otherThan(long known) {
        return redis.run(SCRIPT, key, bytes(Long.toString(known))).thenApply(SharedDocument::version);
    }

    /**
     * Replaces the text that has the version before, and says whether that was still there. Fails as the server does; it may
     * have been replaced then.
     */
    public CompletionStage<Boolean> replace(long before, Version next) {
        return redis.run(SCRIPT, key, bytes(Long.toString(before)), bytes(next.number() + "\n" + next.text()))
                .thenApply(answer -> text(answer).equals(REPLACED));
    }

    private static @Nullable Version version(byte[] answer) {
        String text = text(answer);
        int end = text.indexOf('\n');
        return end < 0 ? null : new Version(Long.parseLong(text.substring(0, end)), text.substring(end + 1));
    }

    private static String text(byte[] answer) {
        return new String(answer, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
