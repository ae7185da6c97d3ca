package dev.limiter.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A text with a revision that instances share; an instance can replace only the revision it has read. It does not
 * expire. Thread-safe; never blocks.
 */
public final class SharedDocument {

    /** The revision if there is no text. */
    public static final String NONE = "0";

    private static final Script SCRIPT = Script.of(ScriptFiles.read("document"));

    private static final String REPLACED = "replaced";
    private static final String DOCUMENT = "document\n";

    private final Redis redis;
    private final byte[][] key;

    /** Creates a document; {@code key} is the complete key in Redis. */
    public SharedDocument(Redis redis, String key) {
        this.redis = redis;
        this.key = new byte[][] {key.getBytes(StandardCharsets.UTF_8)};
    }

    /**
     * A version of the text.
     *
     * @param revision identifies the version: one line of ASCII, or anything up to the first line end if other software
     *     has written it
     */
    public record Version(String revision, String text) {}

    /** Returns the text if its revision differs from {@code known}, otherwise null. Fails as the server does. */
    public CompletionStage<@Nullable Version> otherThan(String known) {
        return redis.run(SCRIPT, key, line(known)).thenApply(SharedDocument::version);
    }

    /**
     * Replaces the text if its revision is still {@code before}; returns whether it was. Fails as the server does, in
     * which case it may have been replaced.
     */
    public CompletionStage<Boolean> replace(String before, Version next) {
        byte[] document = (next.revision() + "\n" + next.text()).getBytes(StandardCharsets.UTF_8);
        return redis.run(SCRIPT, key, line(before), document)
                .thenApply(reply -> new String(reply, StandardCharsets.UTF_8).equals(REPLACED));
    }

    private static @Nullable Version version(byte[] reply) {
        if (reply.length < DOCUMENT.length()) {
            return null;
        }
        int start = DOCUMENT.length();
        int end = start;
        while (end < reply.length && reply[end] != '\n') {
            end++;
        }
        int text = Math.min(end + 1, reply.length);
        return new Version(
                new String(reply, start, end - start, StandardCharsets.ISO_8859_1),
                new String(reply, text, reply.length - text, StandardCharsets.UTF_8));
    }

    /** Encodes a revision, which may be any bytes. */
    private static byte[] line(String revision) {
        return revision.getBytes(StandardCharsets.ISO_8859_1);
    }
}
