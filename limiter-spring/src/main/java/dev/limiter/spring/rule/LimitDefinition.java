package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import java.time.Duration;
import java.time.Period;
import org.jspecify.annotations.Nullable;

/**
 * The raw settings of one limit. Immutable.
 *
 * @param where the property or annotation that holds them
 * @param settings of the {@link LimitOptions}
 */
public record LimitDefinition(String where, Settings settings) {

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
                Settings.NONE
                        .with(LimitOptions.LIMIT, limit, origin)
                        .with(LimitOptions.WINDOW, window, origin)
                        .with(LimitOptions.ALGORITHM, algorithm, origin)
                        .with(LimitOptions.BURST, burst, origin)
                        .with(LimitOptions.BUCKETS, buckets, origin));
    }

    /**
     * The settings of a limit of the core, as written at {@code origin}.
     *
     * @throws IllegalArgumentException if it is paced, which a rule is by its {@code max-wait}
     */
    static LimitDefinition of(RuleOrigin origin, Limit limit) {
        if (limit instanceof Limit.LeakyBucket bucket && bucket.even()) {
            throw new IllegalArgumentException(
                    "A leaky bucket of a rule is paced by maxWait of the rule; leave out paced() for " + origin);
        }
        Settings settings = Settings.NONE;
        for (Option<?> option : LimitOptions.OF_RULE) {
            settings = with(settings, option, option.in(limit), origin);
        }
        return new LimitDefinition(
                origin.toString(),
                limit instanceof Limit.CalendarWindow
                        ? settings.with(LimitOptions.ALIGN, Align.CALENDAR, origin)
                        : settings);
    }

    @SuppressWarnings("unchecked") // the option gives its type, but times instead of their text
    private static <T> Settings with(Settings settings, Option<T> option, @Nullable Object value, RuleOrigin origin) {
        boolean time = value instanceof Duration || value instanceof Period;
        return settings.with(option, (T) (time ? String.valueOf(value) : value), origin);
    }

    /** This limit as if all its settings had been written at {@code origin}. */
    LimitDefinition writtenAt(RuleOrigin origin) {
        return new LimitDefinition(origin.toString(), settings.writtenAt(origin));
    }

    /** This limit with one more setting, as written at {@code origin}; null adds none. */
    public <T> LimitDefinition with(Option<T> option, @Nullable T value, RuleOrigin origin) {
        return new LimitDefinition(where, settings.with(option, value, origin));
    }

    /** The setting of an option; null if there is none. */
    public <T> @Nullable Setting<T> get(Option<T> option) {
        return settings.get(option);
    }

    /** The value of an option; null if there is none. */
    public <T> @Nullable T value(Option<T> option) {
        return settings.value(option);
    }

    /** Whether nothing was said. */
    public boolean isEmpty() {
        return settings.isEmpty();
    }

    /** The algorithm as set, or a token bucket. */
    public Algorithm algorithm() {
        Algorithm said = settings.value(LimitOptions.ALGORITHM);
        return said == null ? LimitOptions.ALGORITHM.usual() : said;
    }

    /**
     * These settings, completed by weaker ones. If these name another algorithm, the options of the weaker's are left
     * behind with it (the window, if these have none): otherwise nobody could change the algorithm of an annotation
     * from outside.
     */
    public LimitDefinition over(LimitDefinition weaker) {
        boolean sameAlgorithm = get(LimitOptions.ALGORITHM) == null || algorithm() == weaker.algorithm();
        return new LimitDefinition(
                where,
                settings.over(weaker.settings.only(option -> option == LimitOptions.WINDOW
                        ? hasWindow() || !weaker.hasWindow()
                        : sameAlgorithm || option.isForAll())));
    }

    /** Whether the algorithm has a window. */
    public boolean hasWindow() {
        return LimitOptions.WINDOW.algorithms().contains(algorithm());
    }
}
