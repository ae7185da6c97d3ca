package dev.limiter.spring.key;

import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problem;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the grammar of keys: parts joined by {@code ,}, alternatives by {@code |}, both outside quotes and brackets.
 *
 * <pre>
 * key         = part *( "," part )
 * part        = alternative *( "|" alternative )
 * alternative = "global" / "ip" / "principal" / "session" / "method"
 *             / ( "header:" / "cookie:" / "param:" / "path:" ) name
 *             / name of a KeyResolver bean / SpEL, starting with # or @
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
                for (String part : KeySyntax.split(text, ',')) {
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

    private KeyPart part(String text, String where, ExpressionScope scope) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("there is nothing before or after a ','. " + QUOTE);
        }
        List<KeyAlternative> parsed = new ArrayList<>();
        for (String alternative : KeySyntax.split(text, '|')) {
            if (alternative.isEmpty()) {
                throw new IllegalArgumentException(
                        "there is nothing before or after a '|'; put an expression with || into #{...}");
            }
            parsed.add(alternatives.parse(alternative, where, scope));
        }
        return new KeyPart(KeyAlternatives.type(text), parsed);
    }

    private static LimiterConfigurationException problem(String where, String value, String reason) {
        return new LimiterConfigurationException(new Problem(
                where,
                value,
                reason + ". Examples: ip,"
                        + " \"principal|ip\", \"header:X-Api-Key\", \"#request.getHeader('X-Tenant')\""));
    }
}
