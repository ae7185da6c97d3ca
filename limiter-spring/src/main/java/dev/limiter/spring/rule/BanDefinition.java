package dev.limiter.spring.rule;

import dev.limiter.Limit;
import java.util.List;
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

    public static final Option<Long> AFTER = OptionTraits.number("Rejections of the key by the rule")
            .range(1, Limit.MAX_PERMITS)
            .suggest(20L)
            .named("after");

    public static final Option<String> WITHIN = OptionTraits.duration("Time within which they are so many, such as 1m")
            .upTo(Limit.MAX_WINDOW)
            .suggest("1m", "One minute.")
            .named("within");

    public static final Option<String> FOR = OptionTraits.duration(
                    "Time for which the key is then refused, such as 15m")
            .upTo(Limit.MAX_WINDOW)
            .suggest("15m", "A quarter of an hour.")
            .named("for");

    /** All that is said of a ban. */
    public static final List<Option<?>> OPTIONS = List.of(AFTER, WITHIN, FOR);

    /** The settings as written at {@code origin}; null is what was not said. */
    public static BanDefinition of(
            RuleOrigin origin, @Nullable Long after, @Nullable String within, @Nullable String duration) {
        return new BanDefinition(
                origin.toString(),
                setting(origin, AFTER, after),
                setting(origin, WITHIN, within),
                setting(origin, FOR, duration));
    }

    private static <T> @Nullable Setting<T> setting(RuleOrigin origin, Option<T> option, @Nullable T value) {
        return value == null ? null : new Setting<>(value, origin.of(option.name()));
    }
}
