package dev.limiter.spring.rule;

import org.jspecify.annotations.Nullable;

/**
 * The raw settings of a ban; null is what was not said. Immutable; nothing is checked before
 * the rule is compiled.
 *
 * @param where the property that holds them
 * @param after rejections
 * @param within the time for which a rejection counts
 * @param duration of the ban
 */
public record BanDefinition(
        String where,
        @Nullable Setting<Long> after,
        @Nullable Setting<String> within,
        @Nullable Setting<String> duration) {

    /** The settings as written at {@code origin}; null is what was not said. */
    public static BanDefinition of(
            RuleOrigin origin, @Nullable Long after, @Nullable String within, @Nullable String duration) {
        return new BanDefinition(
                origin.toString(),
                setting(origin, "after", after),
                setting(origin, "within", within),
                setting(origin, "for", duration));
    }

    private static <T> @Nullable Setting<T> setting(RuleOrigin origin, String attribute, @Nullable T value) {
        return value == null ? null : new Setting<>(value, origin.of(attribute));
    }
}
