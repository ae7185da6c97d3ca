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
     * @param known false if unidentified clients share this text
     */
    record Resolved(String text, boolean known) {}

    private final KeyAlternative[] alternatives;
    private final String type;
    private final Resolved unresolved;
    private final boolean ofClients;

    /** The part for the key that code passes. With an empty key, code shares the bucket of all requests. */
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

    /** Returns the kinds of its alternatives. */
    Stream<String> kinds() {
        return Arrays.stream(alternatives).map(KeyAlternative::kind);
    }

    /** Returns whether its values identify clients, rather than resources. */
    boolean isOfClients() {
        return ofClients;
    }

    String types() {
        return Arrays.stream(alternatives).map(KeyAlternative::type).collect(Collectors.joining("|"));
    }

    /** Returns the type of the part if it is unresolved; null if it has a value. */
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

    Resolved unresolved() {
        return unresolved;
    }

    /** Returns the part for a value that code passes, which is always of the first alternative. */
    Resolved passed(String text) {
        return text.isEmpty() ? unresolved : alternatives[0].ofInput(text);
    }

    /**
     * Returns the part for a value that an operator entered. It is of the first alternative, unless it starts with the
     * kind of another one.
     */
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

    /** Returns the end of the text of this part in a whole key; -1 if there is none at this position. */
    int end(String key, int from) {
        KeyAlternative alternative = alternative(key, from);
        if (alternative != null) {
            return alternative.end(key, from);
        }
        String text = unresolved.text();
        return key.regionMatches(true, from, text, 0, text.length()) ? from + text.length() : -1;
    }

    /** Parses such a text. */
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
