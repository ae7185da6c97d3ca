package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spi.OutOfRangeException;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.LogText;
import dev.limiter.spring.resolve.LimitResolvers;
import dev.limiter.spring.resolve.ResolverCache;
import dev.limiter.spring.resolve.ResolverCache.Resolver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The limits that a {@code limit-resolver} returns for the keys of a rule. They are core rules of the same name, so a
 * key keeps its used permits when its limit changes. Thread-safe.
 */
final class ResolvedLimits {

    /** The most distinct results in the cache. */
    private static final int MOST = 1_000;

    private final Rule own;
    private final @Nullable Tiers tiers;
    private final Duration maxWait;
    private final Consumer<List<Limit>> check;
    private final LimitResolvers resolvers;
    private final ResolverCache cache;
    private final Resolver resolver;
    private final ConcurrentMap<Object, Resolved> byResult = new ConcurrentHashMap<>();

    /** A compiled result; {@code rule}: null for unlimited. */
    private record Resolved(boolean valid, @Nullable Rule rule) {}

    /**
     * @param own the rule's own limits
     * @param tiers the tiers that a result can name; null if there are none
     * @param maxWait the longest wait of a request
     * @param check throws {@link LimiterConfigurationException} for limits that the rule cannot have
     */
    public ResolvedLimits(
            Rule own,
            @Nullable Tiers tiers,
            Duration maxWait,
            Consumer<List<Limit>> check,
            LimitResolvers resolvers,
            ResolverCache cache,
            Resolver resolver) {
        this.own = own;
        this.tiers = tiers;
        this.maxWait = maxWait;
        this.check = check;
        this.resolvers = resolvers;
        this.cache = cache;
        this.resolver = new Resolver(context -> plain(resolver.function().apply(context)), resolver.remember());
    }

    /** Unwraps optional results, and copies maps, which the application may change later. */
    private static @Nullable Object plain(@Nullable Object result) {
        Object value = result instanceof Optional<?> optional ? optional.orElse(null) : result;
        return value instanceof Map<?, ?> map ? Map.copyOf(map) : value;
    }

    /**
     * Returns the limits for a request or call; null if it is unlimited.
     *
     * @param key the key of the bucket
     * @param usual the limits if the resolver returns none, or an invalid one
     */
    @Nullable
    Rule of(String key, RateLimitContext context, Rule usual) {
        return limits(cache.get(key, context, resolver), key, usual);
    }

    /** Returns the limits for a hypothetical request. */
    @Nullable
    Rule prediction(String key, RateLimitContext context, Rule usual) {
        return limits(cache.predict(key, context, resolver), key, usual);
    }

    /** Returns the limits by the last result for a key, even if it has expired; null if the key is unlimited. */
    @Nullable
    Rule last(String key, Rule usual) {
        return limits(cache.last(key), key, usual);
    }

    private @Nullable Rule limits(@Nullable Object result, String key, Rule usual) {
        if (result == null) {
            return usual;
        }
        Resolved known = byResult.get(result);
        if (known == null) {
            known = resolved(result, key);
            if (byResult.size() >= MOST) {
                byResult.clear();
            }
            byResult.put(result, known);
        }
        return known.valid ? known.rule : usual;
    }

    private Resolved resolved(Object result, String key) {
        try {
            Optional<Rule> rule = result instanceof String || result instanceof Enum<?>
                    ? tier(result.toString())
                    : Optional.of(Rule.of(own.name(), limits(result)));
            return new Resolved(true, rule.orElse(null));
        } catch (LimiterConfigurationException | OutOfRangeException | IllegalResultException invalid) {
            resolvers.invalid(
                    own.name(), key, "returned " + LogText.escape(result.toString()) + ": " + invalid.getMessage());
            return new Resolved(false, null);
        }
    }

    private Optional<Rule> tier(String name) {
        Optional<Rule> tier = tiers == null ? null : tiers.named(name);
        if (tier == null) {
            throw new IllegalResultException("the rule has no tier of this name.");
        }
        return tier;
    }

    private List<Limit> limits(Object result) {
        List<Limit> limits =
                result instanceof Map<?, ?> byName ? limitsByName(byName) : List.of(limit(onlyLimit(), result));
        check.accept(limits);
        return limits;
    }

    private Limit onlyLimit() {
        Limit first = own.limits().get(0);
        if (!first.name().isEmpty()) {
            throw new IllegalResultException("the rule has named limits. Return a map from name to limit.");
        }
        return first;
    }

    private List<Limit> limitsByName(Map<?, ?> byName) {
        Set<Object> unknown = new HashSet<>(byName.keySet());
        List<Limit> limits = new ArrayList<>();
        for (Limit limit : own.limits()) {
            Object other = byName.get(limit.name());
            limits.add(other == null ? limit : limit(limit, other));
            unknown.remove(limit.name());
        }
        if (!unknown.isEmpty()) {
            throw new IllegalResultException("the rule has no limits named " + unknown + ".");
        }
        return limits;
    }

    private Limit limit(Limit usual, Object result) {
        if (result instanceof Limit limit) {
            return limit.name().equals(usual.name()) ? limit : limit.named(usual.name());
        }
        if (result instanceof Number number && number.longValue() == number.doubleValue()) {
            return OtherPermits.of(usual, number.longValue(), maxWait);
        }
        throw new IllegalResultException("a limit must be a whole number of permits, or a dev.limiter.Limit.");
    }

    private static final class IllegalResultException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        IllegalResultException(String message) {
            super(message, null, false, false);
        }
    }
}
