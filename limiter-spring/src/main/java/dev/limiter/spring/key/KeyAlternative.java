package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A typed value: {@code header:x-api-key=5:alice}. The length tells the end of the value, with any content; a long one
 * is replaced by its hash, which no value can imitate because a length is a number.
 */
final class KeyAlternative {

    private static final int MAX_LENGTH = 256;

    /** The most digits of a length. */
    private static final int MAX_DIGITS = 3;

    private static final Set<String> KINDS =
            Set.of("ip", "principal", "session", "method", "header", "cookie", "param", "path", "resource");

    private final String type;
    private final KeyValue value;
    private final @Nullable SecretValues secrets;
    private final Set<String> shared;
    private final UnaryOperator<String> said;

    KeyAlternative(String type, KeyValue value) {
        this(type, value, null, Set.of(), UnaryOperator.identity());
    }

    /** {@code secrets}: how the values are kept, which may be secrets. */
    KeyAlternative(String type, KeyValue value, SecretValues secrets) {
        this(type, value, secrets, Set.of(), UnaryOperator.identity());
        secrets.use();
    }

    /**
     * @param shared the value that tells no client from others
     * @param said turns a person's spelling of the value into the value
     */
    KeyAlternative(String type, KeyValue value, String shared, UnaryOperator<String> said) {
        this(type, value, null, Set.of(shared), said);
    }

    private KeyAlternative(
            String type,
            KeyValue value,
            @Nullable SecretValues secrets,
            Set<String> shared,
            UnaryOperator<String> said) {
        this.type = type + "=";
        this.value = value;
        this.secrets = secrets;
        this.said = said;
        this.shared = shared.stream().map(text -> plain(this.type, text)).collect(Collectors.toUnmodifiableSet());
    }

    /** The kind of value: {@code header} of {@code header:x-api-key}. */
    String kind() {
        String kind = type.substring(0, type.length() - 1);
        int colon = kind.indexOf(':');
        String first = colon < 0 ? kind : kind.substring(0, colon);
        return KINDS.contains(first) ? first : "other";
    }

    /** The prefix of its texts: {@code header:x-api-key}. */
    String type() {
        return type.substring(0, type.length() - 1);
    }

    /** A text that this wrote, or would have written without secrets, as it is with them. */
    String rewrite(String written) {
        String rest = written.substring(type.length());
        int colon = rest.indexOf(':');
        boolean plain = colon > 0 && Character.isDigit(rest.charAt(0));
        return plain ? encode(rest.substring(colon + 1)) : type + rest;
    }

    KeyValue value() {
        return value;
    }

    /** Null if there is no value. */
    @Nullable
    String encode(RateLimitContext context) {
        String text = value.of(context);
        return text == null || text.isEmpty() ? null : encode(text);
    }

    /** The encoded value of this alternative for a value as a person says it. */
    String encodeSaid(String text) {
        return encode(said.apply(text));
    }

    private String encode(String text) {
        return secrets == null ? plain(type, text) : type + secrets.encode(text);
    }

    /** Where the text ends that this wrote into a key at a position; -1 if this wrote none there. */
    int end(String key, int from) {
        boolean header = type.startsWith("header:");
        int end = key.regionMatches(header, from, type, 0, type.length()) ? valueEnd(key, from + type.length()) : -1;
        return end <= key.length() ? end : -1;
    }

    private static int valueEnd(String key, int start) {
        if (key.startsWith(TextDigest.PREFIX, start)) {
            return start + TextDigest.LENGTH;
        }
        if (key.startsWith(SecretValues.PREFIX, start)) {
            return start + SecretValues.LENGTH;
        }
        int colon = start;
        while (colon < key.length() && colon < start + MAX_DIGITS && Character.isDigit(key.charAt(colon))) {
            colon++;
        }
        boolean length = colon > start && key.startsWith(":", colon);
        return length ? colon + 1 + Integer.parseInt(key, start, colon, 10) : -1;
    }

    /** Whether such a text is the same for all clients. */
    boolean isShared(String text) {
        return shared.contains(text);
    }

    static String plain(String type, String text) {
        return text.length() <= MAX_LENGTH ? type + text.length() + ":" + text : type + TextDigest.of(text);
    }
}
