package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.OnFailure;
import dev.limiter.spring.annotation.Answer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The raw settings of one rule, from properties, an annotation or a {@link RuleSource}; null is what was not said. Each
 * value knows where it was written, also after merging. Immutable; nothing is checked before the
 * rule is compiled.
 *
 * @param limit the settings of the only limit, empty if there are none
 * @param limits name to limit; null if there are none
 * @param tiers what is different for some; null if it is the same for all
 * @param waiting who may wait, empty if nobody
 */
public record RuleDefinition(
        String name,
        RuleOrigin origin,
        LimitDefinition limit,
        @Nullable Map<String, LimitDefinition> limits,
        @Nullable TiersDefinition tiers,
        WaitingDefinition waiting,
        @Nullable Setting<List<String>> paths,
        @Nullable Setting<List<String>> methods,
        @Nullable Setting<Phase> phase,
        @Nullable Setting<Scope> scope,
        @Nullable Setting<List<String>> key,
        @Nullable Setting<String> cost,
        @Nullable Setting<String> condition,
        @Nullable Setting<String> skipIf,
        @Nullable Setting<String> chargeIf,
        @Nullable Setting<List<String>> allow,
        @Nullable Setting<List<String>> deny,
        @Nullable BanDefinition ban,
        @Nullable Setting<Mode> mode,
        @Nullable Setting<OnFailure> onFailure,
        @Nullable Setting<String> lease,
        @Nullable Setting<HeaderStyle> headers,
        @Nullable Setting<Answer> answer,
        @Nullable Setting<String> limitResolver,
        @Nullable Setting<String> limitCache) {

    /**
     * These settings, completed attribute by attribute by weaker ones. Limits are one attribute where either has named
     * ones: named limits are not mixed with inline ones of the other.
     */
    public RuleDefinition over(RuleDefinition weaker) {
        boolean ownLimits = limits != null || (weaker.limits != null && !limit.isEmpty());
        return new RuleDefinition(
                name,
                origin,
                ownLimits ? limit : limit.over(weaker.limit),
                ownLimits ? limits : weaker.limits,
                first(tiers, weaker.tiers),
                waiting.over(weaker.waiting),
                first(paths, weaker.paths),
                first(methods, weaker.methods),
                first(phase, weaker.phase),
                first(scope, weaker.scope),
                first(key, weaker.key),
                first(cost, weaker.cost),
                first(condition, weaker.condition),
                first(skipIf, weaker.skipIf),
                first(chargeIf, weaker.chargeIf),
                first(allow, weaker.allow),
                first(deny, weaker.deny),
                first(ban, weaker.ban),
                first(mode, weaker.mode),
                first(onFailure, weaker.onFailure),
                first(lease, weaker.lease),
                first(headers, weaker.headers),
                first(answer, weaker.answer),
                first(limitResolver, weaker.limitResolver),
                first(limitCache, weaker.limitCache));
    }

    /** Whether this rule is about the same requests as another, with the same key and cost: all but the limits. */
    public boolean countsTheSameAs(RuleDefinition other) {
        return !costsByLimit() && !other.costsByLimit() && said(this).equals(said(other));
    }

    private boolean costsByLimit() {
        return limitsByName().values().stream().anyMatch(said -> said.cost() != null);
    }

    /** The limits by their names, that of the only one being empty. */
    public Map<String, LimitDefinition> limitsByName() {
        return limits == null ? Map.of("", limit) : limits;
    }

    private static List<Object> said(RuleDefinition rule) {
        return Arrays.asList(
                rule.paths == null ? null : Set.copyOf(rule.paths.value()),
                rule.methods == null ? null : Set.copyOf(rule.methods.value()),
                rule.phase == null ? Phase.ENDPOINT : rule.phase.value(),
                rule.scope == null ? Scope.RULE : rule.scope.value(),
                rule.key == null ? List.of("global") : rule.key.value(),
                value(rule.cost),
                value(rule.condition),
                value(rule.skipIf),
                value(rule.chargeIf),
                value(rule.allow),
                value(rule.deny),
                rule.ban,
                value(rule.limitResolver),
                rule.waiting);
    }

    private static <T> @Nullable T value(@Nullable Setting<T> setting) {
        return setting == null ? null : setting.value();
    }

    /** Whether a limit is said, of whatever sort. */
    public boolean hasLimit() {
        return limits != null || limit.limit() != null;
    }

    static <T> @Nullable T first(@Nullable T strong, @Nullable T weak) {
        return strong != null ? strong : weak;
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
        private WaitingDefinition waiting = WaitingDefinition.NONE;
        private @Nullable Setting<List<String>> paths;
        private @Nullable Setting<List<String>> methods;
        private @Nullable Setting<Phase> phase;
        private @Nullable Setting<Scope> scope;
        private @Nullable Setting<List<String>> key;
        private @Nullable Setting<String> cost;
        private @Nullable Setting<String> condition;
        private @Nullable Setting<String> skipIf;
        private @Nullable Setting<String> chargeIf;
        private @Nullable Setting<List<String>> allow;
        private @Nullable Setting<List<String>> deny;
        private @Nullable BanDefinition ban;
        private @Nullable Setting<Mode> mode;
        private @Nullable Setting<OnFailure> onFailure;
        private @Nullable Setting<String> lease;
        private @Nullable Setting<HeaderStyle> headers;
        private @Nullable Setting<Answer> answer;
        private @Nullable Setting<String> limitResolver;
        private @Nullable Setting<String> limitCache;

        private Builder(String name, RuleOrigin origin) {
            this.name = name;
            this.origin = origin;
            this.limit = LimitDefinition.of(origin, null, null, null, null, null);
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
         * Who may wait.
         *
         * @param maxWait for how long
         * @param maxWaiting how many at the same time
         * @param priority an expression that is true for those who go first
         * @param reserve the share of each limit that is kept for them, such as 20%
         */
        public Builder waiting(
                @Nullable String maxWait,
                @Nullable Integer maxWaiting,
                @Nullable String priority,
                @Nullable String reserve) {
            this.waiting = new WaitingDefinition(
                    setting("max-wait", maxWait),
                    setting("max-waiting", maxWaiting),
                    setting("priority", priority),
                    setting("reserve", reserve));
            return this;
        }

        /** What is different for some. */
        public Builder tiers(@Nullable TiersDefinition tiers) {
            this.tiers = tiers;
            return this;
        }

        public Builder paths(@Nullable List<String> paths) {
            this.paths = setting("paths", paths);
            return this;
        }

        /** HTTP methods, in any case. */
        public Builder methods(@Nullable List<String> methods) {
            this.methods = setting("methods", methods);
            return this;
        }

        /** When it decides, if it has paths. */
        public Builder phase(@Nullable Phase phase) {
            this.phase = setting("phase", phase);
            return this;
        }

        public Builder scope(@Nullable Scope scope) {
            this.scope = setting("scope", scope);
            return this;
        }

        /** The parts of the key; one text may hold several, joined by commas. */
        public Builder key(@Nullable List<String> key) {
            this.key = setting("key", key);
            return this;
        }

        /** A number or an expression. */
        public Builder cost(@Nullable String cost) {
            this.cost = setting("cost", cost);
            return this;
        }

        /** An expression; the rule applies only where it is true. */
        public Builder condition(@Nullable String condition) {
            this.condition = setting("condition", condition);
            return this;
        }

        /** An expression; the rule does not apply where it is true. */
        public Builder skipIf(@Nullable String skipIf) {
            this.skipIf = setting("skip-if", skipIf);
            return this;
        }

        /** An expression; what was taken is returned where it turns out false. */
        public Builder chargeIf(@Nullable String chargeIf) {
            this.chargeIf = setting("charge-if", chargeIf);
            return this;
        }

        /** Networks or single addresses that the rule does not apply to. */
        public Builder allow(@Nullable List<String> allow) {
            this.allow = setting("allow", allow);
            return this;
        }

        /** Networks or single addresses that are always refused. */
        public Builder deny(@Nullable List<String> deny) {
            this.deny = setting("deny", deny);
            return this;
        }

        /** When a key is refused outright for a while. */
        public Builder ban(@Nullable BanDefinition ban) {
            this.ban = ban;
            return this;
        }

        public Builder mode(@Nullable Mode mode) {
            this.mode = setting("mode", mode);
            return this;
        }

        /** The share of the limits that an instance takes ahead, such as 5%. */
        public Builder lease(@Nullable String lease) {
            this.lease = setting("lease", lease);
            return this;
        }

        /** What happens while a storage that all instances share does not decide. */
        public Builder onFailure(@Nullable OnFailure onFailure) {
            this.onFailure = setting("on-failure", onFailure);
            return this;
        }

        public Builder headers(@Nullable HeaderStyle headers) {
            this.headers = setting("headers", headers);
            return this;
        }

        /** Whose limit it is. */
        public Builder answer(@Nullable Answer answer) {
            this.answer = setting("answer", answer);
            return this;
        }

        /**
         * Where the limit of each key comes from.
         *
         * @param resolver the name of a {@link LimitResolver} bean, or an expression
         * @param cache for how long its answer for a key holds
         */
        public Builder limitResolver(@Nullable String resolver, @Nullable String cache) {
            this.limitResolver = setting("limit-resolver", resolver);
            this.limitCache = setting("limit-cache", cache);
            return this;
        }

        public RuleDefinition build() {
            return new RuleDefinition(
                    name,
                    origin,
                    limit,
                    limits,
                    tiers,
                    waiting,
                    paths,
                    methods,
                    phase,
                    scope,
                    key,
                    cost,
                    condition,
                    skipIf,
                    chargeIf,
                    allow,
                    deny,
                    ban,
                    mode,
                    onFailure,
                    lease,
                    headers,
                    answer,
                    limitResolver,
                    limitCache);
        }

        private <T> @Nullable Setting<T> setting(String attribute, @Nullable T value) {
            return value == null ? null : new Setting<>(value, origin.of(attribute));
        }
    }
}
