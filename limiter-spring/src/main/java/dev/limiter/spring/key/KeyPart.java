package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One part of a key: the first of its alternatives that has a value. */
final class KeyPart {

    private static final String UNRESOLVED = "=unresolved";

    /** The owner of a key, as far as one part tells. */
    enum Owner {
        /** One client: clients with another value have another bucket. */
        CLIENT,
        /** All clients without a value of their own share this one. */
        NOBODY,
        /** No client: the part names a resource, such as a path variable. */
        UNSAID
    }

    /**
     * The text of a part within a key.
     *
     * @param end the position after its text
     */
    record Written(int end, Owner owner) {}

    private final KeyAlternative[] alternatives;
    private final String unresolved;

    /** The unresolved part, as people are told the types. */
    private final String unresolvedAsNamed;

    private final boolean ofClients;

    /** {@code ofClients}: whether the values tell clients apart, rather than what they use. */
    KeyPart(String type, List<KeyAlternative> alternatives, boolean ofClients) {
        this.alternatives = alternatives.toArray(KeyAlternative[]::new);
        this.unresolved = type + UNRESOLVED;
        this.unresolvedAsNamed = types() + UNRESOLVED;
        this.ofClients = ofClients;
    }

    /** The kinds of its alternatives. */
    Stream<String> kinds() {
        return Arrays.stream(alternatives).map(KeyAlternative::kind);
    }

    /** Whether its values tell clients apart, rather than what they use. */
    boolean isOfClients() {
        return ofClients;
    }

    String types() {
        return Arrays.stream(alternatives).map(KeyAlternative::type).collect(Collectors.joining(" or "));
    }

    String encode(RateLimitContext context) {
        for (KeyAlternative alternative : alternatives) {
            String encoded = alternative.encode(context);
            if (encoded != null) {
                return encoded;
            }
        }
        return unresolved;
    }

    /**
     * The text that {@link #encode} makes of a value as a person says it; of its alternatives, the first is meant
     * unless the text begins with another kind.
     */
    String encodeSaid(String text) {
        for (KeyAlternative alternative : alternatives) {
            String kind = alternative.kind() + ":";
            if ((alternatives.length > 1 || kind.equals("ip:"))
                    && text.regionMatches(true, 0, kind, 0, kind.length())) {
                return alternative.encodeSaid(text.substring(kind.length()));
            }
        }
        return alternatives[0].encodeSaid(text);
    }

    /** The text that {@link #encode} writes, of the one that it would have written if nothing were secret. */
    String rewrite(String written) {
        for (KeyAlternative alternative : alternatives) {
            if (alternative.end(written, 0) == written.length()) {
                return alternative.rewrite(written);
            }
        }
        return unresolved;
    }

    /** The text of this part without a value. */
    String unresolved() {
        return unresolved;
    }

    /** Reads what {@link #encode} or a person wrote into a key at a position; null if neither wrote anything there. */
    @Nullable
    Written read(String key, int from) {
        for (KeyAlternative alternative : alternatives) {
            int end = alternative.end(key, from);
            if (end >= 0) {
                boolean shared = alternative.isShared(key.substring(from, end));
                return new Written(end, shared ? Owner.NOBODY : ofClients ? Owner.CLIENT : Owner.UNSAID);
            }
        }
        int end = unresolvedEnd(key, from);
        return end >= 0 ? new Written(end, Owner.NOBODY) : null;
    }

    private int unresolvedEnd(String key, int from) {
        if (key.regionMatches(true, from, unresolved, 0, unresolved.length())) {
            return from + unresolved.length();
        }
        boolean named = key.regionMatches(true, from, unresolvedAsNamed, 0, unresolvedAsNamed.length());
        return named ? from + unresolvedAsNamed.length() : -1;
    }
}
