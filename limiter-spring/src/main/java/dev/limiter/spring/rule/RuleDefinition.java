package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.OnFailure;
import dev.limiter.spring.annotation.Answer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The raw settings of one rule, from properties, an annotation or a {@link RuleSource}; null is what was not said. Each
 * value knows where it was written, also after merging. Immutable; nothing is checked before the
 * rule is compiled.
 *
 * @param limit the settings of the only limit, empty if there are none
 * @param limits name to limit; null if there are none
 * @param tiers what is different for some; null if it is the same for all
 * @param ban when a key is refused outright for a while; null if never
 * @param settings of the {@link RuleOptions}
 */
public record RuleDefinition(
        String name,
        RuleOrigin origin,
        LimitDefinition limit,
        @Nullable Map<String, LimitDefinition> limits,
        @Nullable TiersDefinition tiers,
        @Nullable BanDefinition ban,
        Settings settings) {

    /** The setting of an option; null if there is none. */
    public <T> @Nullable Setting<T> get(Option<T> option) {
        return settings.get(option);
    }

    /** The value of an option; null if there is none. */
    public <T> @Nullable T value(Option<T> option) {
        return settings.value(option);
    }

    /** The value of an option, or another one if nothing was said. */
    public <T> T value(Option<T> option, T otherwise) {
        T said = settings.value(option);
        return said == null ? otherwise : said;
    }

    /**
     * These settings, completed attribute by attribute by weaker ones, and named limits by those of their name. Limits
     * are one attribute where only one of both has named ones: these are not mixed with inline ones. The waiting of the
     * weaker is left behind with a {@code max-wait} of zero, and with limits that requests cannot wait for.
     */
    public RuleDefinition over(RuleDefinition weaker) {
        boolean ownLimits = limits != null || (weaker.limits != null && !limit.isEmpty());
        RuleDefinition merged = new RuleDefinition(
                name,
                origin,
                ownLimits ? limit : limit.over(weaker.limit),
                ownLimits ? over(limits, weaker.limits) : weaker.limits,
                tiers != null ? tiers : weaker.tiers,
                ban != null ? ban : weaker.ban,
                settings.over(weaker.settings));
        boolean endsWaiting =
                settings.isZero(RuleOptions.MAX_WAIT) || weaker.hasWaitableLimit() && !merged.hasWaitableLimit();
        return endsWaiting
                ? merged.with(settings.over(
                        weaker.settings.only(option -> get(option) != null || !merged.isOnlyForWaiting(option))))
                : merged;
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

    private RuleDefinition with(Settings others) {
        return new RuleDefinition(name, origin, limit, limits, tiers, ban, others);
    }

    private boolean hasWaitableLimit() {
        return limitsByName().values().stream()
                .anyMatch(said ->
                        WaitableLimits.include(said.algorithm(), said.value(LimitOptions.ALIGN) == Align.FIRST, this));
    }

    private boolean isOnlyForWaiting(Option<?> option) {
        return option == RuleOptions.MAX_WAIT
                || option == RuleOptions.MAX_WAITING
                || option == RuleOptions.PRIORITY && get(RuleOptions.RESERVE) == null;
    }

    /** The limits by their names, that of the only one being empty. */
    public Map<String, LimitDefinition> limitsByName() {
        return limits == null ? Map.of("", limit) : limits;
    }

    /** Whether it has a limit of any sort. */
    public boolean hasLimit() {
        return limits != null || limit.get(LimitOptions.LIMIT) != null;
    }

    /** Settings that were written at {@code origin}. */
    public static Builder builder(String name, RuleOrigin origin) {
        return new Builder(name, origin);
    }

    /** Takes what was said; null is the same as not calling. Not thread-safe. */
    public static final class Builder {

        private final String name;
        private final RuleOrigin origin;
        private LimitDefinition limit;
        private @Nullable Map<String, LimitDefinition> limits;
        private @Nullable TiersDefinition tiers;
        private @Nullable BanDefinition ban;
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
            this.limit = limit.aligned(origin, align, zone);
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
            this.limit = limit.warmingUp(origin, warmUp);
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

        /** The tiers of requests with other limits. */
        public Builder tiers(@Nullable TiersDefinition tiers) {
            this.tiers = tiers;
            return this;
        }

        public Builder paths(@Nullable List<String> paths) {
            return set(RuleOptions.PATHS, paths);
        }

        /** HTTP methods, in any case. */
        public Builder methods(@Nullable List<String> methods) {
            return set(RuleOptions.METHODS, methods);
        }

        /** When it decides, if it has paths. */
        public Builder phase(@Nullable Phase phase) {
            return set(RuleOptions.PHASE, phase);
        }

        public Builder scope(@Nullable Scope scope) {
            return set(RuleOptions.SCOPE, scope);
        }

        /** The parts of the key; one text may hold several, joined by commas. */
        public Builder key(@Nullable List<String> key) {
            return set(RuleOptions.KEY, key);
        }

        /** A number or an expression. */
        public Builder cost(@Nullable String cost) {
            return set(RuleOptions.COST, cost);
        }

        /** An expression; the rule applies only where it is true. */
        public Builder condition(@Nullable String condition) {
            return set(RuleOptions.CONDITION, condition);
        }

        /** An expression; the rule does not apply where it is true. */
        public Builder skipIf(@Nullable String skipIf) {
            return set(RuleOptions.SKIP_IF, skipIf);
        }

        /** An expression; what was taken is returned where it turns out false. */
        public Builder chargeIf(@Nullable String chargeIf) {
            return set(RuleOptions.CHARGE_IF, chargeIf);
        }

        /** Networks or single addresses that the rule does not apply to. */
        public Builder allow(@Nullable List<String> allow) {
            return set(RuleOptions.ALLOW, allow);
        }

        /** Networks or single addresses that are always refused. */
        public Builder deny(@Nullable List<String> deny) {
            return set(RuleOptions.DENY, deny);
        }

        /** When a key is refused outright for a while. */
        public Builder ban(@Nullable BanDefinition ban) {
            this.ban = ban;
            return this;
        }

        public Builder mode(@Nullable Mode mode) {
            return set(RuleOptions.MODE, mode);
        }

        /** The share of the limits that an instance takes ahead, such as 5%. */
        public Builder lease(@Nullable String lease) {
            return set(RuleOptions.LEASE, lease);
        }

        /** The way to decide while a storage that all instances share does not. */
        public Builder onFailure(@Nullable OnFailure onFailure) {
            return set(RuleOptions.ON_FAILURE, onFailure);
        }

        public Builder headers(@Nullable HeaderStyle headers) {
            return set(RuleOptions.HEADERS, headers);
        }

        /** The owner of the limit. */
        public Builder answer(@Nullable Answer answer) {
            return set(RuleOptions.ANSWER, answer);
        }

        /**
         * Where the limit of each key comes from.
         *
         * @param resolver the name of a {@link LimitResolver} bean, or an expression
         * @param cache for how long its answer for a key holds
         */
        public Builder limitResolver(@Nullable String resolver, @Nullable String cache) {
            return set(RuleOptions.LIMIT_RESOLVER, resolver).set(RuleOptions.LIMIT_CACHE, cache);
        }

        public RuleDefinition build() {
            return new RuleDefinition(name, origin, limit, limits, tiers, ban, settings);
        }
    }
}
