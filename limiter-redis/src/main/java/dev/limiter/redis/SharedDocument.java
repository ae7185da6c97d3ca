package dev.limiter.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A text that instances share, with a revision: an instance replaces only the text it has seen. It is kept until it is
 * replaced. Thread-safe; never blocks.
 */
public final class SharedDocument {

    /** The revision of a text that there is not. */
    public static final String NONE = "0";

    private static final Script SCRIPT = Script.of(ScriptFiles.read("document"));

    private static final String REPLACED = "replaced";
    private static final String DOCUMENT = "document\n";

    private final Redis redis;
    private final byte[][] key;

    /** {@code key}: the whole key in Redis. */
    public SharedDocument(Redis redis, String key) {
        this.redis = redis;
        this.key = new byte[][] {key.getBytes(StandardCharsets.UTF_8)};
    }

    /**
     * A version of the text.
     *
     * @param revision what no other version has: a line of ASCII, or anything up to the first end of a line where
     *     something else has written it
     */
    public record Version(String revision, String text) {}

    /** The text, if its revision is another one than is known, else null. Fails as the server does. */
    public CompletionStage<@Nullable Version> otherThan(String known) {
        return redis.run(SCRIPT, key, line(known)).thenApply(SharedDocument::version);
    }

    /**
     * Replaces the text that has the revision before, and says whether that was still there. Fails as the server does;
     * it may have been replaced then.
     */
    public CompletionStage<Boolean> replace(String before, Version next) {
        byte[] document = (next.revision() + "\n" + next.text()).getBytes(StandardCharsets.UTF_8);
        return redis.run(SCRIPT, key, line(before), document)
                .thenApply(answer -> new String(answer, StandardCharsets.UTF_8).equals(REPLACED));
    }

    private static @Nullable Version version(byte[] answer) {
        if (answer.length < DOCUMENT.length()) {
            return null;
        }
        int start = DOCUMENT.length();
        int end = start;
        while (end < answer.length && answer[end] != '\n') {
            end++;
        }
        int text = Math.min(end + 1, answer.length);
        return new Version(
                new String(answer, start, end - start, StandardCharsets.ISO_8859_1),
                new String(answer, text, answer.length - text, StandardCharsets.UTF_8));
    }

    /** A revision may be any bytes. */
    private static byte[] line(String revision) {
        return revision.getBytes(StandardCharsets.ISO_8859_1);
    }
}
