package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses keys: parts joined by {@code ,}, alternatives by {@code |}, both outside quotes and brackets.
 *
 * <pre>
 * key         = part *( "," part )
 * part        = alternative *( "|" alternative )
 * alternative = "global" / "ip" / "principal" / "session" / "method"
 *             / ( "header:" / "cookie:" / "param:" / "path:" ) name
 *             / name of a KeyResolver bean / name of a KeySource bean ":" name / SpEL, starting with # or @
 * </pre>
 */
public final class KeyParser {

    private static final String QUOTE = "Quote it: in YAML, an unquoted # starts a comment";

    private final KeyAlternatives alternatives;

    public KeyParser(KeyAlternatives alternatives) {
        this.alternatives = alternatives;
    }

    /**
     * Parses a key.
     *
     * @param texts one or more keys, which are joined
     * @param where the property or annotation that holds them, for messages
     * @throws LimiterConfigurationException if they are empty, cannot be parsed, or name something unknown
     */
    public RateLimitKey parse(List<String> texts, String where, ExpressionScope scope) {
        String written = String.join(",", texts);
        if (written.isBlank()) {
            throw problem(where, written, "The key is empty. " + QUOTE);
        }
        List<KeyPart> parts = new ArrayList<>();
        try {
            for (String text : texts) {
                for (String part : split(text, ',')) {
                    if (!part.equals("global")) {
                        parts.add(part(part, where, scope));
                    }
                }
            }
        } catch (IllegalArgumentException exception) {
            throw problem(where, written, "The key cannot be parsed: " + exception.getMessage());
        }
        return parts.isEmpty() ? RateLimitKey.GLOBAL : new RateLimitKey(parts);
    }

    /**
     * Parses a single key part that resolves to its plain value, the first of its alternatives.
     *
     * @param where the property that holds it, for messages
     * @throws LimiterConfigurationException if it is empty, cannot be parsed, or names something unknown
     */
    public KeyResolver value(String text, String where, ExpressionScope scope) {
        if (text.isBlank()) {
            throw problem(where, text, "It is empty. " + QUOTE);
        }
        try {
            if (split(text, ',').size() > 1) {
                throw new IllegalArgumentException("it has several parts, but must be one value");
            }
            KeyResolver[] values = alternatives(text.strip(), where, scope).stream()
                    .map(KeyAlternative::value)
                    .toArray(KeyResolver[]::new);
            return values.length == 1 ? values[0] : context -> first(values, context);
        } catch (IllegalArgumentException exception) {
            throw problem(where, text, "It cannot be parsed: " + exception.getMessage());
        }
    }

    private static @Nullable String first(KeyResolver[] values, RateLimitContext context) {
        for (KeyResolver value : values) {
            String text = value.resolve(context);
            if (text != null && !text.isEmpty()) {
                return text;
            }
        }
        return null;
    }

    private KeyPart part(String text, String where, ExpressionScope scope) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("a part before or after ',' is empty. " + QUOTE);
        }
        return new KeyPart(KeyAlternatives.type(text), alternatives(text, where, scope));
    }

    private List<KeyAlternative> alternatives(String text, String where, ExpressionScope scope) {
        List<KeyAlternative> parsed = new ArrayList<>();
        for (String alternative : split(text, '|')) {
            if (alternative.isEmpty()) {
                throw new IllegalArgumentException(
                        "an alternative before or after '|' is empty; write an expression with || as #{...}");
            }
            parsed.add(alternatives.parse(alternative, where, scope));
        }
        return parsed;
    }

    /** Returns the texts between separators, without surrounding spaces; at least one. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        char quote = 0;
        int open = 0;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if ("([{".indexOf(c) >= 0) {
                open++;
            } else if (")]}".indexOf(c) >= 0) {
                open--;
            } else if (c == separator && open == 0) {
                parts.add(text.substring(start, i).strip());
                start = i + 1;
            }
        }
        if (quote != 0 || open != 0) {
            throw new IllegalArgumentException("a quote or bracket is not closed, or not opened");
        }
        parts.add(text.substring(start).strip());
        return parts;
    }

    private static LimiterConfigurationException problem(String where, String value, String reason) {
        return new LimiterConfigurationException(new Problem(
                MessageCode.KEY,
                where,
                value,
                (reason.endsWith("?") || reason.endsWith(".") ? reason : reason + ".")
                        + " Examples: ip,"
                        + " \"principal|ip\", \"header:X-Api-Key\", \"#request.getHeader('X-Tenant')\""));
    }
}
