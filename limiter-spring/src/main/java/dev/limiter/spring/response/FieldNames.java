package dev.limiter.spring.response;

import dev.limiter.spring.rule.HeaderStyle;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameter names of {@code RateLimit}, of the draft and of its open change.
 */
enum FieldNames {
    /** The names of draft-ietf-httpapi-ratelimit-headers-11. */
    DRAFT("r", "t", null, false),
    /** The names of the open change of that draft. */
    NEXT("a", "w", "c", true);

    /** The dimensions that the open change registers; other dimensions are opaque to clients. */
    private static final Map<String, String> DIMENSIONS = Map.of("principal", "user_id");

    /** Precedes the available quota. */
    final String available;
    /** Precedes the effective window. */
    final String window;
    /** Precedes the cost of the request; null if there is no such parameter. */
    final @Nullable String cost;
    /** True if {@code RateLimit-Partition} is sent. */
    final boolean partitioned;

    FieldNames(String available, String window, @Nullable String cost, boolean partitioned) {
        this.available = ";" + available + "=";
        this.window = ";" + window + "=";
        this.cost = cost == null ? null : ";" + cost + "=";
        this.partitioned = partitioned;
    }

    /** Returns the names for a style; null for styles without the fields of the draft. */
    static @Nullable FieldNames of(HeaderStyle style) {
        return switch (style) {
            case IETF, BOTH -> DRAFT;
            case IETF_NEXT -> NEXT;
            case LEGACY, NONE -> null;
        };
    }

    /**
     * Returns the dimension of a key part; {@code kind}: see {@code RateLimitKey.kinds()}.
     */
    static String dimension(String kind) {
        return DIMENSIONS.getOrDefault(kind, kind);
    }
}
