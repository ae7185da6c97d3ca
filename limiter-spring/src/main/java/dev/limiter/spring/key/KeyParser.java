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
 * Reads the grammar of keys: parts joined by {@code ,}, alternatives by {@code |}, both outside quotes and brackets.
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

    private static final String QUOTE = "Quote it: YAML takes what follows an unquoted # for a comment";

    private final KeyAlternatives alternatives;

    public KeyParser(KeyAlternatives alternatives) {
        this.alternatives = alternatives;
    }

    /**
     * @param texts one or more keys, which make one together
     * @param where the property or annotation that holds them, for messages
     * @throws LimiterConfigurationException if they are empty, cannot be parsed or refer to what there is not
     */
    public RateLimitKey parse(List<String> texts, String where, ExpressionScope scope) {
        String written = String.join(",", texts);
        if (written.isBlank()) {
            throw problem(where, written, "The key is empty. " + QUOTE);
        }
        List<KeyPart> parts = new ArrayList<>();
        try {
            for (String text : texts) {
                for (String part : KeySplitter.split(text, ',')) {
                    if (!part.equals("global")) {
                        parts.add(part(part, where, scope));
                    }
                }
            }
        } catch (IllegalArgumentException exception) {
            throw problem(where, written, "The key cannot be parsed: " + exception.getMessage());
        }
        return parts.isEmpty() ? RateLimitKey.GLOBAL : new RateLimitKey("", parts);
    }

    /**
     * The value of a single part of a key as it is: of its alternatives, the first that has one.
     *
     * @param where the property that holds it, for messages
     * @throws LimiterConfigurationException if it is empty, cannot be parsed or refers to what there is not
     */
    public KeyValue value(String text, String where, ExpressionScope scope) {
        if (text.isBlank()) {
            throw problem(where, text, "It is empty. " + QUOTE);
        }
        try {
            if (KeySplitter.split(text, ',').size() > 1) {
                throw new IllegalArgumentException("there are several parts, but it has to be one value");
            }
            KeyValue[] values = alternatives(text.strip(), where, scope).stream()
                    .map(KeyAlternative::value)
                    .toArray(KeyValue[]::new);
            return values.length == 1 ? values[0] : context -> first(values, context);
        } catch (IllegalArgumentException exception) {
            throw problem(where, text, "It cannot be parsed: " + exception.getMessage());
        }
    }

    /** The alternatives of each part of a key that was parsed before, as they were written. */
    public static List<List<String>> alternatives(List<String> texts) {
        return texts.stream()
                .flatMap(text -> KeySplitter.split(text, ',').stream())
                .map(part -> KeySplitter.split(part, '|'))
                .toList();
    }

    private static @Nullable String first(KeyValue[] values, RateLimitContext context) {
        for (KeyValue value : values) {
            String text = value.of(context);
            if (text != null && !text.isEmpty()) {
                return text;
            }
        }
        return null;
    }

    private KeyPart part(String text, String where, ExpressionScope scope) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("there is nothing before or after a ','. " + QUOTE);
        }
        boolean ofClients = KeySplitter.split(text, '|').stream().anyMatch(KeyAlternatives::tellsClientsApart);
        return new KeyPart(KeyAlternatives.type(text), alternatives(text, where, scope), ofClients);
    }

    private List<KeyAlternative> alternatives(String text, String where, ExpressionScope scope) {
        List<KeyAlternative> parsed = new ArrayList<>();
        for (String alternative : KeySplitter.split(text, '|')) {
            if (alternative.isEmpty()) {
                throw new IllegalArgumentException(
                        "there is nothing before or after a '|'; put an expression with || into #{...}");
            }
            refuseUnused(parsed, alternative);
            KeyAlternative next = alternatives.parse(alternative, where, scope);
            if (parsed.stream().anyMatch(other -> other.type().equals(next.type()))) {
                throw new IllegalArgumentException("\"" + alternative + "\" is written twice; once is enough");
            }
            parsed.add(next);
        }
        return parsed;
    }

    /** Alternatives behind one that always has a value. */
    private static void refuseUnused(List<KeyAlternative> before, String text) {
        for (KeyAlternative alternative : before) {
            if (KeyAlternatives.hasValueWherever(alternative.type(), text)) {
                throw new IllegalArgumentException("\"" + text + "\" is never used, since \"" + alternative.type()
                        + "\" always has a value; write it first, or join the two with a comma");
            }
        }
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
