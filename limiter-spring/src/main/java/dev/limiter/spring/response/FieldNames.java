package dev.limiter.spring.response;

import dev.limiter.spring.rule.HeaderStyle;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names of the parameters of {@code RateLimit}, in the only place where they are written: the draft's, and those of
 * its open change.
 */
enum FieldNames {
    /** The names of draft-ietf-httpapi-ratelimit-headers-11. */
    DRAFT("r", "t", null, false),
    /** The names of the open change of that draft. */
    NEXT("a", "w", "c", true);

    /** The dimensions that the open change registers; those of others are opaque to clients, as it says. */
    private static final Map<String, String> DIMENSIONS = Map.of("principal", "user_id");

    /** Before the quota that is available. */
    final String available;
    /** Before the effective window. */
    final String window;
    /** Before what the request cost; null where there is no such parameter. */
    final @Nullable String cost;
    /** Whether {@code RateLimit-Partition} tells by what quotas are divided. */
    final boolean partitioned;

    FieldNames(String available, String window, @Nullable String cost, boolean partitioned) {
        this.available = ";" + available + "=";
        this.window = ";" + window + "=";
        this.cost = cost == null ? null : ";" + cost + "=";
        this.partitioned = partitioned;
    }

    /** Null for a style without the fields of the draft. */
    static @Nullable FieldNames of(HeaderStyle style) {
        return switch (style) {
            case IETF, BOTH -> DRAFT;
            case IETF_NEXT -> NEXT;
            case LEGACY, NONE -> null;
        };
    }

    /** The dimension by which a part of a key divides a quota; {@code kind}: as in {@code RateLimitKey.kinds()}. */
    static String dimension(String kind) {
        return DIMENSIONS.getOrDefault(kind, kind);
    }
}
