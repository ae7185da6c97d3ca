package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whose bucket: the values of its parts, each with its type and length, so that no value can imitate another part.
 * Immutable, thread-safe.
 */
public final class RateLimitKey {

    /** One bucket that all share. */
    public static final RateLimitKey GLOBAL = new RateLimitKey(List.of());

    private final @Nullable String constant;

    RateLimitKey(List<KeyPart> parts) {
        this.constant = null;
    }

    /** The key, if it is the same for everybody. */
    public @Nullable String constant() {
        return constant;
    }

    /** The key of this request or call. */
    public String resolve(RateLimitContext context) {
        return "";
    }
}
