package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A typed value: {@code header:x-api-key=5:alice}. The length tells where the value ends, whatever is in it; a long one
 * is replaced by its hash, which no value can imitate because a length is a number.
 */
final class KeyAlternative {

    private static final int MAX_LENGTH = 256;

    private static final Set<String> KINDS =
            Set.of("ip", "principal", "session", "method", "header", "cookie", "param", "path", "resource");

    private final String type;
    private final KeyValue value;
    private final @Nullable SecretValues secrets;

    KeyAlternative(String type, KeyValue value) {
        this(type, value, null);
    }

    /** {@code secrets}: how the values are kept; null if they are no secrets. */
    KeyAlternative(String type, KeyValue value, @Nullable SecretValues secrets) {
        this.type = type + "=";
        this.value = value;
        this.secrets = secrets;
        if (secrets != null) {
            secrets.use();
        }
    }

    /** What it is, without whose: {@code header} of {@code header:x-api-key}. */
    String kind() {
        String kind = type.substring(0, type.length() - 1);
        int colon = kind.indexOf(':');
        String first = colon < 0 ? kind : kind.substring(0, colon);
        return KINDS.contains(first) ? first : "other";
    }

    KeyValue value() {
        return value;
    }

    /** Null if there is no value. */
    @Nullable
    String encode(RateLimitContext context) {
        String text = value.of(context);
        if (text == null || text.isEmpty()) {
            return null;
        }
        return type + (secrets == null ? plain(text) : secrets.encode(text));
    }

    static String plain(String text) {
        return text.length() <= MAX_LENGTH ? text.length() + ":" + text : Hash.of(text);
    }
}
