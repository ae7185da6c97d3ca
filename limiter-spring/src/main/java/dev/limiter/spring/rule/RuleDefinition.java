package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one rule, from properties, an annotation or a {@link RuleSource}. Each value keeps its origin, also
 * after merging. Immutable; settings are validated when the rule is compiled.
 *
 * @param limit the settings of the only limit, empty if there are none
 * @param limits limits by name; null if there are none
 * @param settings the values of {@link RuleOptions}, {@link BanOptions} and the options of {@link LimitsDefinition}
 */
public record RuleDefinition(
        String name,
        RuleOrigin origin,
        LimitDefinition limit,
        @Nullable Map<String, LimitDefinition> limits,
        Settings settings)
        implements RuleTerms {

    private static final Pattern NAME = Pattern.compile("[a-z0-9][A-Za-z0-9_-]*");

    /**
     * Returns a rule without settings, for a {@link RuleSource}; the methods of the result add settings.
     *
     * <pre>{@code
     * RuleDefinition.named("orders").paths("/api/**").key("principal|ip").limit(Limit.tokenBucket(100, ofSeconds(1)))
     * }</pre>
     *
     * @param name letters, digits, {@code -} and {@code _}, starting with a lowercase letter or digit
     */
    public static RuleDefinition named(String name) {
        RuleOrigin origin = RuleOrigin.source("rule \"" + name + "\"");
        if (name == null || !NAME.matcher(name).matches()) {
            throw new LimiterConfigurationException(
                    new Problem(
                            MessageCode.NAME,
                            origin.of("name"),
                            name,
                            "A name must consist of letters, digits, '-' and '_', and start with a lowercase letter or digit."));
        }
        return builder(name, origin).build();
    }

    @Override
    public <T> RuleDefinition with(Option<T> option, T value) {
        return with(settings.with(option, value, origin));
    }

    @Override
    public RuleDefinition limit(Limit... limits) {
        LimitsDefinition all = LimitsDefinition.of(origin, List.of(limits));
        return new RuleDefinition(name, origin, all.limit(), all.limits(), settings);
    }

    @Override
    public RuleDefinition limit(long permits, String window) {
        return new RuleDefinition(
                name, origin, LimitDefinition.of(origin, permits, window, null, null, null), null, settings);
    }

    /** Returns this rule with a {@link RuleSource} as its origin, which messages then name. */
    public RuleDefinition from(String source) {
        RuleOrigin place = RuleOrigin.source("rule \"" + name + "\" of " + source);
        return new RuleDefinition(
                name,
                place,
                limit.writtenAt(place),
                LimitsDefinition.writtenAt(limits, place),
                settings.writtenAt(place));
    }

    /** Returns the setting of an option; null if there is none. */
    public <T> @Nullable Setting<T> get(Option<T> option) {
        return settings.get(option);
    }

    /** Returns the value of an option; null if there is none. */
    public <T> @Nullable T value(Option<T> option) {
        return settings.value(option);
    }

    /** Returns the value of an option, or {@code otherwise} if it is not set. */
    @Override
    public <T> T value(Option<T> option, T otherwise) {
        T set = settings.value(option);
        return set == null ? otherwise : set;
    }

    /**
     * Returns these settings merged over weaker ones, option by option; named limits are merged by name. If only one of
     * both has named limits, its limits replace the other's, because named and inline limits do not mix.
     */
    public RuleDefinition over(RuleDefinition weaker) {
        boolean ownLimits = limits != null || (weaker.limits != null && !limit.isEmpty());
        return new RuleDefinition(
                name,
                origin,
                ownLimits ? limit : limit.over(weaker.limit),
                ownLimits ? over(limits, weaker.limits) : weaker.limits,
                settings.over(weaker.settings));
    }

    private static @Nullable Map<String, LimitDefinition> over(
            @Nullable Map<String, LimitDefinition> limits, @Nullable Map<String, LimitDefinition> weaker) {
        if (limits == null || weaker == null) {
            return limits;
        }
        Map<String, LimitDefinition> merged = new LinkedHashMap<>(weaker);
        limits.forEach((name, limit) -> merged.merge(name, limit, (hidden, stronger) -> stronger.over(hidden)));
        return merged;
    }

    /** Returns this rule with another origin. */
    public RuleDefinition at(RuleOrigin other) {
        return new RuleDefinition(name, other, limit, limits, settings);
    }

    /** Returns this rule with other settings. */
    public RuleDefinition with(Settings others) {
        return new RuleDefinition(name, origin, limit, limits, others);
    }

    /** Returns this rule with a changed mode of all rules; null is the configured one. */
    public RuleDefinition inModeOfAll(@Nullable Setting<Mode> mode) {
        return mode == null ? this : with(new Settings(Map.of(ChangeOrigin.MODE_OF_ALL, mode)).over(settings));
    }

    /** Returns this rule with other limits, by name as in {@link #limitsByName()}. */
    RuleDefinition withLimits(Map<String, LimitDefinition> byName) {
        return limits == null
                ? new RuleDefinition(name, origin, byName.getOrDefault("", limit), null, settings)
                : new RuleDefinition(name, origin, limit, byName, settings);
    }

    /** Returns the limits by name; the name of a single limit is empty. */
    public Map<String, LimitDefinition> limitsByName() {
        return limits == null ? Map.of("", limit) : limits;
    }

    /**
     * Returns the name of a limit in the spelling of this rule.
     *
     * @param meant the name in any spelling; empty for the only limit
     * @param where the origin of the name
     * @param code the code of the problem if the limit is unknown
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the limit is unknown
     */
    public String limitName(String meant, String where, MessageCode code) {
        String names = String.join(", ", limitsByName().keySet());
        return limitsByName().keySet().stream()
                .filter(name -> RuleName.canonical(name).equals(RuleName.canonical(meant)))
                .findFirst()
                .orElseThrow(() -> LimitsDefinition.problem(
                        code,
                        where,
                        null,
                        limits == null
                                ? "The rule has only one limit, without a name. Write the settings without a name."
                                : meant.isEmpty()
                                        ? "The rule has named limits. Write which: " + names + "."
                                        : "The rule has no limit of this name. Its limits: " + names + "."));
    }

    /** Returns a builder for settings with this origin. */
    public static Builder builder(String name, RuleOrigin origin) {
        return new Builder(name, origin);
    }

    /**
     * Builds definitions; {@link RuleOptions} describes each option. Null values are ignored. Not thread-safe.
     */
    public static final class Builder {

        private final String name;
        private final RuleOrigin origin;
        private LimitDefinition limit;
        private @Nullable Map<String, LimitDefinition> limits;
        private Settings settings = Settings.NONE;

        private Builder(String name, RuleOrigin origin) {
            this.name = name;
            this.origin = origin;
            this.limit = LimitDefinition.of(origin, null, null, null, null, null);
        }

        /** Sets any of the {@link RuleOptions}. */
        public <T> Builder set(Option<T> option, @Nullable T value) {
            settings = settings.with(option, value, origin);
            return this;
        }

        /** Adds settings with their origins. */
        public Builder settings(Settings more) {
            settings = more.over(settings);
            return this;
        }

        /** Sets the only limit of the rule, with its origin. */
        public Builder limit(LimitDefinition limit) {
            this.limit = limit;
            return this;
        }

        /** Sets the only limit of the rule. */
        public Builder limit(
                @Nullable Long limit,
                @Nullable String window,
                @Nullable Algorithm algorithm,
                @Nullable Long burst,
                @Nullable Integer buckets) {
            this.limit = LimitDefinition.of(origin, limit, window, algorithm, burst, buckets);
            return this;
        }

        /** Sets when the windows of that limit start; call it after {@code limit}. */
        public Builder align(@Nullable Align align, @Nullable String zone) {
            this.limit = limit.with(LimitOptions.ALIGN, align, origin).with(LimitOptions.ZONE, zone, origin);
            return this;
        }

        /** Adds a named limit. */
        public Builder namedLimit(String limitName, LimitDefinition named) {
            if (limits == null) {
                limits = new LinkedHashMap<>();
            }
            limits.put(limitName, named);
            return this;
        }

        /** Sets the warm-up of that limit; call it after {@code limit}. */
        public Builder warmUp(@Nullable String warmUp) {
            this.limit = limit.with(LimitOptions.WARM_UP, warmUp, origin);
            return this;
        }

        public Builder scope(@Nullable Scope scope) {
            return set(RuleOptions.SCOPE, scope);
        }

        /**
         * Sets the ban.
         *
         * @param after the number of rejections
         * @param within the time in which they are counted
         * @param duration the duration of the ban
         */
        public Builder ban(@Nullable Long after, @Nullable String within, @Nullable String duration) {
            return set(BanOptions.AFTER, after).set(BanOptions.WITHIN, within).set(BanOptions.FOR, duration);
        }

        public Builder status(@Nullable Integer status) {
            return set(RuleOptions.STATUS, status);
        }

        public RuleDefinition build() {
            return new RuleDefinition(name, origin, limit, limits, settings);
        }
    }
}
