package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import java.time.Duration;
import java.time.Period;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one limit, before compilation. Immutable.
 *
 * @param where the property or annotation that contains them
 * @param settings the values of {@link LimitOptions}
 */
public record LimitDefinition(String where, Settings settings) {

    /** Returns a definition with these settings; null is not set. */
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
     * Returns the definition of a core limit.
     *
     * @throws IllegalArgumentException if it is paced, because rules configure pacing with {@code max-wait}
     */
    static LimitDefinition of(RuleOrigin origin, Limit limit) {
        if (limit instanceof Limit.LeakyBucket bucket && bucket.even()) {
            throw new IllegalArgumentException(
                    "paced() is not allowed in " + origin + ". Remove it, and set maxWait of the rule");
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

    /** Returns this limit with another origin of all its settings. */
    LimitDefinition writtenAt(RuleOrigin origin) {
        return new LimitDefinition(origin.toString(), settings.writtenAt(origin));
    }

    /** Returns this limit with one more setting; null adds none. */
    public <T> LimitDefinition with(Option<T> option, @Nullable T value, RuleOrigin origin) {
        return new LimitDefinition(where, settings.with(option, value, origin));
    }

    /** Returns the setting of an option; null if there is none. */
    public <T> @Nullable Setting<T> get(Option<T> option) {
        return settings.get(option);
    }

    /** Returns the value of an option; null if there is none. */
    public <T> @Nullable T value(Option<T> option) {
        return settings.value(option);
    }

    /** Returns whether no option is set. */
    public boolean isEmpty() {
        return settings.isEmpty();
    }

    /** Returns the algorithm as set, or a token bucket. */
    public Algorithm algorithm() {
        Algorithm set = settings.value(LimitOptions.ALGORITHM);
        return set == null ? LimitOptions.ALGORITHM.usual() : set;
    }

    /**
     * Returns these settings merged over weaker ones. If these set another algorithm, options that only the weaker
     * algorithm has are dropped, so that configuration can replace the algorithm of an annotation.
     */
    public LimitDefinition over(LimitDefinition weaker) {
        boolean sameAlgorithm = get(LimitOptions.ALGORITHM) == null || algorithm() == weaker.algorithm();
        return new LimitDefinition(
                where,
                settings.over(weaker.settings.only(option -> option == LimitOptions.WINDOW
                        ? hasWindow() || !weaker.hasWindow()
                        : sameAlgorithm || option.isForAll())));
    }

    /** Returns whether the algorithm has a window. */
    public boolean hasWindow() {
        return LimitOptions.WINDOW.algorithms().contains(algorithm());
    }
}
