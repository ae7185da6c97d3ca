package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One alternative of a key part. Writes its values with type and length, such as {@code header:x-api-key=5:alice}. The
 * length marks the end of the value, whatever it contains. Long values and secrets are replaced by a hash. No value can
 * imitate a hash, because values start with a number.
 *
 * @param type the prefix of its texts: {@code header:x-api-key}
 * @param value resolves the value; null or empty if a request has none
 * @param secrets encodes values that may be secrets; null if they are not secret
 * @param shared the value that unidentified clients share; null if there is none
 * @param spelling normalizes a value that an operator entered
 */
record KeyAlternative(
        String type,
        KeyResolver value,
        @Nullable SecretValues secrets,
        @Nullable String shared,
        UnaryOperator<String> spelling) {

    private static final int MAX_LENGTH = 256;

    /** The most digits of a length. */
    private static final int MAX_DIGITS = 3;

    private static final Set<String> KINDS =
            Set.of("ip", "principal", "session", "method", "header", "cookie", "param", "path", "resource");

    KeyAlternative(String type, KeyResolver value) {
        this(type, value, null, null, UnaryOperator.identity());
    }

    KeyAlternative(String type, KeyResolver value, SecretValues secrets) {
        this(type, value, secrets, null, UnaryOperator.identity());
        secrets.use();
    }

    /** Returns the kind of value: {@code header} of {@code header:x-api-key}. */
    String kind() {
        String kind = type.replaceFirst(":.*", "");
        return KINDS.contains(kind) ? kind : "other";
    }

    /** Returns whether the values identify clients, rather than resources. */
    boolean isOfClients() {
        return !type.matches("global|method|resource|path:.*");
    }

    /** Returns the part of the key of a request; null if there is no value. */
    KeyPart.@Nullable Resolved resolve(RateLimitContext context) {
        String text = value.resolve(context);
        return text == null || text.isEmpty() ? null : resolved(text);
    }

    /** Returns the part for a value that an operator entered. */
    KeyPart.Resolved ofInput(String text) {
        return resolved(spelling.apply(text));
    }

    private KeyPart.Resolved resolved(String text) {
        String encoded = secrets == null ? plain(text) : secrets.encode(text);
        return new KeyPart.Resolved(type + "=" + encoded, !text.equals(shared));
    }

    /** Returns the length and the value, or a hash if it is long. */
    static String plain(String text) {
        return text.length() <= MAX_LENGTH ? text.length() + ":" + text : TextDigest.of(text);
    }

    /** Returns the end of a text of this alternative in a whole key; -1 if there is none at this position. */
    int end(String key, int from) {
        String start = type + "=";
        boolean matches = key.regionMatches(type.startsWith("header:"), from, start, 0, start.length());
        int end = matches ? valueEnd(key, from + start.length()) : -1;
        return end <= key.length() ? end : -1;
    }

    private static int valueEnd(String key, int start) {
        if (key.startsWith(TextDigest.PREFIX, start)) {
            return start + TextDigest.LENGTH;
        }
        if (key.startsWith(SecretValues.PREFIX, start)) {
            return start + SecretValues.LENGTH;
        }
        int colon = key.indexOf(':', start);
        boolean length = colon > start
                && colon <= start + MAX_DIGITS
                && key.substring(start, colon).matches("[0-9]+");
        return length ? colon + 1 + Integer.parseInt(key, start, colon, 10) : -1;
    }

    /** Parses such a text. Converts a plain secret to its hash. */
    KeyPart.Resolved read(String written) {
        String rest = written.substring(type.length() + 1);
        boolean hashed = rest.startsWith(TextDigest.PREFIX) || rest.startsWith(SecretValues.PREFIX);
        return hashed ? new KeyPart.Resolved(type + "=" + rest, true) : resolved(rest.substring(rest.indexOf(':') + 1));
    }
}
