package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import org.jspecify.annotations.Nullable;

/**
 * The raw settings of one limit; null is what was not said. Immutable.
 *
 * @param where the property or annotation that holds them
 * @param cost how many permits a request takes of this limit; those of the rule if it was not said
 */
public record LimitDefinition(
        String where,
        @Nullable Setting<Long> limit,
        @Nullable Setting<String> window,
        @Nullable Setting<Algorithm> algorithm,
        @Nullable Setting<Long> burst,
        @Nullable Setting<Integer> buckets,
        @Nullable Setting<Align> align,
        @Nullable Setting<String> zone,
        @Nullable Setting<String> warmUp,
        @Nullable Setting<String> cost) {

    /** Settings without a cost. */
    public LimitDefinition(
            String where,
            @Nullable Setting<Long> limit,
            @Nullable Setting<String> window,
            @Nullable Setting<Algorithm> algorithm,
            @Nullable Setting<Long> burst,
            @Nullable Setting<Integer> buckets,
            @Nullable Setting<Align> align,
            @Nullable Setting<String> zone,
            @Nullable Setting<String> warmUp) {
        this(where, limit, window, algorithm, burst, buckets, align, zone, warmUp, null);
    }

    /** The settings as written at {@code origin}; null is what was not said. */
    public static LimitDefinition of(
            RuleOrigin origin,
            @Nullable Long limit,
            @Nullable String window,
            @Nullable Algorithm algorithm,
            @Nullable Long burst,
            @Nullable Integer buckets) {
        return new LimitDefinition(
                origin.toString(),
                setting(origin, "limit", limit),
                setting(origin, "window", window),
                setting(origin, "algorithm", algorithm),
                setting(origin, "burst", burst),
                setting(origin, "buckets", buckets),
                null,
                null,
                null);
    }

    /** The same with the windows aligned as written at {@code origin}; null is what was not said. */
    public LimitDefinition aligned(RuleOrigin origin, @Nullable Align align, @Nullable String zone) {
        return new LimitDefinition(
                where,
                limit,
                window,
                algorithm,
                burst,
                buckets,
                setting(origin, "align", align),
                setting(origin, "zone", zone),
                warmUp,
                cost);
    }

    /** The same with the warm-up as written at {@code origin}; null is what was not said. */
    public LimitDefinition warmingUp(RuleOrigin origin, @Nullable String warmUp) {
        return new LimitDefinition(
                where, limit, window, algorithm, burst, buckets, align, zone, setting(origin, "warm-up", warmUp), cost);
    }

    /** The same with the cost, a number or an expression, as written at {@code origin}; null is what was not said. */
    public LimitDefinition costing(RuleOrigin origin, @Nullable String cost) {
        return new LimitDefinition(
                where, limit, window, algorithm, burst, buckets, align, zone, warmUp, setting(origin, "cost", cost));
    }

    /** Whether nothing was said. */
    public boolean isEmpty() {
        return limit == null
                && window == null
                && algorithm == null
                && burst == null
                && buckets == null
                && align == null
                && zone == null
                && warmUp == null
                && cost == null;
    }

    /**
     * These settings, completed by weaker ones. If these name another algorithm, the options of the weaker's are left
     * behind with it (the window, if these have none): otherwise nobody could change the algorithm of an annotation from
     * outside. So is its zone with
     * another alignment.
     */
    public LimitDefinition over(LimitDefinition weaker) {
        Algorithm weakerAlgorithm = weaker.algorithm == null ? Algorithm.TOKEN_BUCKET : weaker.algorithm.value();
        boolean sameAlgorithm = algorithm == null || algorithm.value() == weakerAlgorithm;
        boolean sameAlign =
                sameAlgorithm && (align == null || weaker.align == null || align.value() == weaker.align.value());
        return new LimitDefinition(
                where,
                RuleDefinition.first(limit, weaker.limit),
                RuleDefinition.first(window, hasWindow() || !weaker.hasWindow() ? weaker.window : null),
                RuleDefinition.first(algorithm, weaker.algorithm),
                RuleDefinition.first(burst, sameAlgorithm ? weaker.burst : null),
                RuleDefinition.first(buckets, sameAlgorithm ? weaker.buckets : null),
                RuleDefinition.first(align, sameAlgorithm ? weaker.align : null),
                RuleDefinition.first(zone, sameAlign ? weaker.zone : null),
                RuleDefinition.first(warmUp, sameAlgorithm ? weaker.warmUp : null),
                RuleDefinition.first(cost, weaker.cost));
    }

    /** Whether the algorithm that was said, or any that was not, has a window. */
    public boolean hasWindow() {
        return algorithm == null || algorithm.value() != Algorithm.CONCURRENCY;
    }

    private static <T> @Nullable Setting<T> setting(RuleOrigin origin, String attribute, @Nullable T value) {
        return value == null ? null : new Setting<>(value, origin.of(attribute));
    }
}
