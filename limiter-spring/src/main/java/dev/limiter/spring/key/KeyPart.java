package dev.limiter.spring.key;

import dev.limiter.Charge;
import dev.limiter.spring.context.RateLimitContext;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One part of a key: the first of its alternatives that has a value. */
final class KeyPart {

    /**
     * The text of a part in a key.
     *
     * @param known false if all clients without a value of their own have this text
     */
    record Resolved(String text, boolean known) {}

    private final KeyAlternative[] alternatives;
    private final String type;
    private final Resolved unresolved;
    private final boolean ofClients;

    /** The part for the text that code passes as the key; without one, code shares a bucket with all requests. */
    static final KeyPart IN_CODE = new KeyPart(
            "key", List.of(new KeyAlternative("key", RateLimitContext::key)), new Resolved(Charge.SHARED, false));

    KeyPart(String type, List<KeyAlternative> alternatives) {
        this(type, alternatives, new Resolved(type + "=unresolved", false));
    }

    private KeyPart(String type, List<KeyAlternative> alternatives, Resolved unresolved) {
        this.alternatives = alternatives.toArray(KeyAlternative[]::new);
        this.type = type;
        this.unresolved = unresolved;
        this.ofClients = alternatives.stream().anyMatch(KeyAlternative::isOfClients);
    }

    /** The kinds of its alternatives. */
    Stream<String> kinds() {
        return Arrays.stream(alternatives).map(KeyAlternative::kind);
    }

    /** Returns whether its values identify clients, rather than what they use. */
    boolean isOfClients() {
        return ofClients;
    }

    String types() {
        return Arrays.stream(alternatives).map(KeyAlternative::type).collect(Collectors.joining("|"));
    }

    /** The type of the part that has this text; null if it is that of a value. */
    @Nullable
    String missing(Resolved resolved) {
        return resolved.equals(unresolved) ? type : null;
    }

    Resolved resolve(RateLimitContext context) {
        for (KeyAlternative alternative : alternatives) {
            Resolved resolved = alternative.resolve(context);
            if (resolved != null) {
                return resolved;
            }
        }
        return unresolved;
    }

    /** This part without a value. */
    Resolved unresolved() {
        return unresolved;
    }

    /** The part for a value that code passes: always of the first alternative. */
    Resolved passed(String text) {
        return text.isEmpty() ? unresolved : alternatives[0].ofInput(text);
    }

    /** The part for a value that a person writes: of the first alternative, unless another one's kind is in front. */
    Resolved ofInput(String text) {
        if (text.isEmpty()) {
            return unresolved;
        }
        for (KeyAlternative alternative : alternatives) {
            String kind = alternative.kind() + ":";
            if ((alternatives.length > 1 || kind.equals("ip:"))
                    && text.regionMatches(true, 0, kind, 0, kind.length())) {
                return alternative.ofInput(text.substring(kind.length()));
            }
        }
        return alternatives[0].ofInput(text);
    }

    /** The end of the text of this part in a whole key; -1 if there is none at this position. */
    int end(String key, int from) {
        KeyAlternative alternative = alternative(key, from);
        if (alternative != null) {
            return alternative.end(key, from);
        }
        String text = unresolved.text();
        return key.regionMatches(true, from, text, 0, text.length()) ? from + text.length() : -1;
    }

    /** Reads such a text. */
    Resolved read(String written) {
        KeyAlternative alternative = alternative(written, 0);
        return alternative == null ? unresolved : alternative.read(written);
    }

    private @Nullable KeyAlternative alternative(String key, int from) {
        for (KeyAlternative alternative : alternatives) {
            if (alternative.end(key, from) >= 0) {
                return alternative;
            }
        }
        return null;
    }
}
