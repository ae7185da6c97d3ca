package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.OnFailure;
import dev.limiter.spring.failure.MessageCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The raw settings of one rule, from properties, an annotation or a {@link RuleSource}; null is what was not set. Each
 * value knows where it was written, also after merging. Immutable; nothing is checked before the
 * rule is compiled.
 *
 * @param limit the settings of the only limit, empty if there are none
 * @param limits name to limit; null if there are none
 * @param settings of the {@link RuleOptions}, the {@link BanOptions}, and the options of {@link LimitsDefinition}
 */
public record RuleDefinition(
        String name,
        RuleOrigin origin,
        LimitDefinition limit,
        @Nullable Map<String, LimitDefinition> limits,
        Settings settings) {

    /** The setting of an option; null if there is none. */
    public <T> @Nullable Setting<T> get(Option<T> option) {
        return settings.get(option);
    }

    /** The value of an option; null if there is none. */
    public <T> @Nullable T value(Option<T> option) {
        return settings.value(option);
    }

    /** The value of an option, or another one if nothing was set. */
    public <T> T value(Option<T> option, T otherwise) {
        T set = settings.value(option);
        return set == null ? otherwise : set;
    }

    /**
     * These settings, completed attribute by attribute by weaker ones, and named limits by those of their name. Limits
     * are one attribute where only one of both has named ones: these are not mixed with inline ones.
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

    /** This rule as if it had been written at {@code other}. */
    public RuleDefinition at(RuleOrigin other) {
        return new RuleDefinition(name, other, limit, limits, settings);
    }

    /** This rule with other settings instead of its own. */
    public RuleDefinition with(Settings others) {
        return new RuleDefinition(name, origin, limit, limits, others);
    }

    /** This rule with other settings of its limits, by their names as in {@link #limitsByName()}. */
    RuleDefinition withLimits(Map<String, LimitDefinition> byName) {
        return limits == null
                ? new RuleDefinition(name, origin, byName.getOrDefault("", limit), null, settings)
                : new RuleDefinition(name, origin, limit, byName, settings);
    }

    /** The limits by their names, that of the only one being empty. */
    public Map<String, LimitDefinition> limitsByName() {
        return limits == null ? Map.of("", limit) : limits;
    }

    /**
     * The name of one of its limits as this rule spells it.
     *
     * @param meant in any spelling; empty for the only limit
     * @param where it was written
     * @param code of the problem if there is no such limit
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if there is no such limit
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
                                ? "The rule has only one limit, without a name. Write its settings without one."
                                : meant.isEmpty()
                                        ? "The rule has named limits. Write which: " + names + "."
                                        : "The rule has no limit of this name; there are " + names + "."));
    }

    /** Settings that were written at {@code origin}. */
    public static Builder builder(String name, RuleOrigin origin) {
        return new Builder(name, origin);
    }

    /**
     * Sets options by their names; {@link RuleOptions} describes each. Null is the same as not calling. Not
     * thread-safe.
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

        /** Any of the {@link RuleOptions}. */
        public <T> Builder set(Option<T> option, @Nullable T value) {
            settings = settings.with(option, value, origin);
            return this;
        }

        /** Any number of them, with their places. */
        public Builder settings(Settings more) {
            settings = more.over(settings);
            return this;
        }

        /** The only limit of the rule, with its place. */
        public Builder limit(LimitDefinition limit) {
            this.limit = limit;
            return this;
        }

        /** The only limit of the rule. */
        public Builder limit(
                @Nullable Long limit,
                @Nullable String window,
                @Nullable Algorithm algorithm,
                @Nullable Long burst,
                @Nullable Integer buckets) {
            this.limit = LimitDefinition.of(origin, limit, window, algorithm, burst, buckets);
            return this;
        }

        /** Where the windows of that limit begin; to be called after it. */
        public Builder align(@Nullable Align align, @Nullable String zone) {
            this.limit = limit.with(LimitOptions.ALIGN, align, origin).with(LimitOptions.ZONE, zone, origin);
            return this;
        }

        /** One of several limits of the rule, each with a name. */
        public Builder namedLimit(String limitName, LimitDefinition named) {
            if (limits == null) {
                limits = new LinkedHashMap<>();
            }
            limits.put(limitName, named);
            return this;
        }

        /** How slowly that limit starts; to be called after it. */
        public Builder warmUp(@Nullable String warmUp) {
            this.limit = limit.with(LimitOptions.WARM_UP, warmUp, origin);
            return this;
        }

        /**
         * The requests that may wait.
         *
         * @param maxWait the longest wait, such as 500ms
         * @param maxWaiting the most requests that wait at the same time
         * @param priority an expression that is true for requests that go first
         * @param reserve the share of each limit kept for these requests, such as 20%
         */
        public Builder waiting(
                @Nullable String maxWait,
                @Nullable Integer maxWaiting,
                @Nullable String priority,
                @Nullable String reserve) {
            return set(RuleOptions.MAX_WAIT, maxWait)
                    .set(RuleOptions.MAX_WAITING, maxWaiting)
                    .set(RuleOptions.PRIORITY, priority)
                    .set(RuleOptions.RESERVE, reserve);
        }

        /**
         * The tiers of requests with other limits.
         *
         * @param by what gives the name of the tier of a request
         * @param tiers by their names
         */
        public Builder tiers(@Nullable String by, @Nullable Map<String, LimitsDefinition> tiers) {
            return set(RuleOptions.TIER_BY, by).set(LimitsDefinition.TIERS, tiers);
        }

        public Builder paths(@Nullable List<String> paths) {
            return set(RuleOptions.PATHS, paths);
        }

        public Builder methods(@Nullable List<String> methods) {
            return set(RuleOptions.METHODS, methods);
        }

        public Builder phase(@Nullable Phase phase) {
            return set(RuleOptions.PHASE, phase);
        }

        public Builder scope(@Nullable Scope scope) {
            return set(RuleOptions.SCOPE, scope);
        }

        public Builder key(@Nullable List<String> key) {
            return set(RuleOptions.KEY, key);
        }

        public Builder cost(@Nullable String cost) {
            return set(RuleOptions.COST, cost);
        }

        public Builder condition(@Nullable String condition) {
            return set(RuleOptions.CONDITION, condition);
        }

        public Builder chargeIf(@Nullable String chargeIf) {
            return set(RuleOptions.CHARGE_IF, chargeIf);
        }

        public Builder allow(@Nullable List<String> allow) {
            return set(RuleOptions.ALLOW, allow);
        }

        public Builder deny(@Nullable List<String> deny) {
            return set(RuleOptions.DENY, deny);
        }

        /**
         * When a key is banned for a while.
         *
         * @param after rejections
         * @param within the time for which a rejection counts
         * @param duration of the ban
         */
        public Builder ban(@Nullable Long after, @Nullable String within, @Nullable String duration) {
            return set(BanOptions.AFTER, after).set(BanOptions.WITHIN, within).set(BanOptions.FOR, duration);
        }

        public Builder mode(@Nullable Mode mode) {
            return set(RuleOptions.MODE, mode);
        }

        public Builder lease(@Nullable String lease) {
            return set(RuleOptions.LEASE, lease);
        }

        public Builder onFailure(@Nullable OnFailure onFailure) {
            return set(RuleOptions.ON_FAILURE, onFailure);
        }

        public Builder headers(@Nullable HeaderStyle headers) {
            return set(RuleOptions.HEADERS, headers);
        }

        public Builder status(@Nullable Integer status) {
            return set(RuleOptions.STATUS, status);
        }

        public RuleDefinition build() {
            return new RuleDefinition(name, origin, limit, limits, settings);
        }
    }
}
