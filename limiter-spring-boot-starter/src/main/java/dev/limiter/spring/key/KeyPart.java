package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import java.util.List;

/** One part of a key: the first of its alternatives that has a value. */
final class KeyPart {

    private final KeyAlternative[] alternatives;
    private final String unresolved;

    KeyPart(String type, List<KeyAlternative> alternatives) {
        this.alternatives = alternatives.toArray(KeyAlternative[]::new);
        this.unresolved = type + "=unresolved";
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
