package dev.limiter.spring.answer;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names of the parameters of {@code RateLimit}, in the only place where they are written: the draft's, and those of
 * its open change.
 */
enum FieldNames {
    /** The names of draft-ietf-httpapi-ratelimit-headers-11. */
    DRAFT("r", "t", null),
    /** The names of the open change of that draft. */
    NEXT("a", "w", "c");

    /** The dimensions that the open change registers; those of others are opaque to clients, as it says. */
    private static final Map<String, String> DIMENSIONS = Map.of("principal", "user_id");

    private final String available;
    private final String window;
    private final @Nullable String cost;

    FieldNames(String available, String window, @Nullable String cost) {
        this.available = ";" + available + "=";
        this.window = ";" + window + "=";
        this.cost = cost == null ? null : ";" + cost + "=";
    }

    /** Before the quota that is available. */
    String available() {
        return available;
    }

    /** Before the effective window. */
    String window() {
        return window;
    }

    /** Before what the request cost; null where there is no such parameter. */
    @Nullable
    String cost() {
        return cost;
    }

    /** The dimension by which a part of a key divides a quota; {@code kind}: as in {@code RateLimitKey.kinds()}. */
    static String dimension(String kind) {
        return DIMENSIONS.getOrDefault(kind, kind);
    }
}
