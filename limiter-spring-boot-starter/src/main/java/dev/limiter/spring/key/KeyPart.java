package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** One part of a key: the first of its alternatives that has a value. */
final class KeyPart {

    private final KeyAlternative[] alternatives;
    private final String unresolved;

    KeyPart(String type, List<KeyAlternative> alternatives) {
        this.alternatives = alternatives.toArray(KeyAlternative[]::new);
        this.unresolved = type + "=unresolved";
    }

    /** Those of its alternatives. */
    Stream<String> kinds() {
        return Arrays.stream(alternatives).map(KeyAlternative::kind);
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
}
