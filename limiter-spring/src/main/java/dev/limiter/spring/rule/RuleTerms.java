package dev.limiter.spring.rule;

import dev.limiter.Limit;
import dev.limiter.OnFailure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of a rule in Java, as in {@code application.yml}. Each method returns a copy of the rule. Values are
 * validated when the rules are compiled.
 */
public interface RuleTerms {

    /** Returns the value of an option, or {@code otherwise} if it is not set. */
    <T> T value(Option<T> option, T otherwise);

    /** Sets an option. Replaces an earlier value. */
    <T> RuleDefinition with(Option<T> option, T value);

    /**
     * Sets the limits. All of them apply. Each of several limits needs a {@linkplain Limit#named name}. A leaky bucket
     * is paced if the rule has a {@link #maxWait}.
     */
    RuleDefinition limit(Limit... limits);

    /** Sets a token bucket with a number of permits per window, such as {@code 1m}. */
    RuleDefinition limit(long permits, String window);

    /** Sets the path patterns of the requests that the rule applies to, such as {@code /api/**}. */
    default RuleDefinition paths(String... patterns) {
        return with(RuleOptions.PATHS, List.of(patterns));
    }

    /** Sets the HTTP methods that the rule applies to; all by default. */
    default RuleDefinition methods(String... methods) {
        return with(RuleOptions.METHODS, List.of(methods));
    }

    /** Sets the ids of the routes of Spring Cloud Gateway that the rule applies to; all requests by default. */
    default RuleDefinition routes(String... ids) {
        return with(RuleOptions.ROUTES, List.of(ids));
    }

    default RuleDefinition phase(Phase phase) {
        return with(RuleOptions.PHASE, phase);
    }

    default RuleDefinition scope(Scope scope) {
        return with(RuleOptions.SCOPE, scope);
    }

    /** Sets the parts of the key, such as {@code principal|ip}; one bucket for all clients by default. */
    default RuleDefinition key(String... parts) {
        return with(RuleOptions.KEY, List.of(parts));
    }

    /** Sets the permits that a request takes; 1 by default. */
    default RuleDefinition cost(long permits) {
        return cost(Long.toString(permits));
    }

    /** Sets the permits that a request takes, as an expression. */
    default RuleDefinition cost(String expression) {
        return with(RuleOptions.COST, expression);
    }

    /** Sets the longest time that a request waits. */
    default RuleDefinition maxWait(Duration longest) {
        return with(RuleOptions.MAX_WAIT, longest.toString());
    }

    /** Sets the most requests that wait for one key. */
    default RuleDefinition maxWaiting(int requests) {
        return with(RuleOptions.MAX_WAITING, requests);
    }

    /**
     * Sets an expression that is true for requests with priority, and the share that is reserved for them, such as
     * {@code 20%}.
     */
    default RuleDefinition priority(String expression, String reserve) {
        return with(RuleOptions.PRIORITY, expression).with(RuleOptions.RESERVE, reserve);
    }

    default RuleDefinition mode(Mode mode) {
        return with(RuleOptions.MODE, mode);
    }

    /** Sets the share of keys for which the rule is enforced, such as {@code 10%}. */
    default RuleDefinition rollout(String share) {
        return with(RuleOptions.ROLLOUT, share);
    }

    /**
     * Sets the status of the response to rejected requests: 429, or 503 for a limit that protects the application.
     */
    default RuleDefinition status(int status) {
        return with(RuleOptions.STATUS, status);
    }

    /** Sets an expression that is true for requests that the rule applies to. */
    default RuleDefinition condition(String expression) {
        return with(RuleOptions.CONDITION, expression);
    }

    /** Sets which requests stay charged: {@code failed}, or an expression that is true for them. */
    default RuleDefinition chargeIf(String outcome) {
        return with(RuleOptions.CHARGE_IF, outcome);
    }

    /** Sets the networks of clients that are never limited. */
    default RuleDefinition allow(String... networks) {
        return with(RuleOptions.ALLOW, List.of(networks));
    }

    /** Sets the networks of clients that are always rejected. */
    default RuleDefinition deny(String... networks) {
        return with(RuleOptions.DENY, List.of(networks));
    }

    /** Bans a key after a number of rejections within a time. */
    default RuleDefinition ban(long after, Duration within, Duration duration) {
        return with(BanOptions.AFTER, after)
                .with(BanOptions.WITHIN, within.toString())
                .with(BanOptions.FOR, duration.toString());
    }

    /** Adds a tier. Its limits have the names of the rule's limits. */
    default RuleDefinition tier(String name, Limit... limits) {
        return tier(name, LimitsDefinition.of(RuleOrigin.source("tier " + name), List.of(limits)));
    }

    /** Adds a tier to which the rule does not apply. */
    default RuleDefinition unlimitedTier(String name) {
        return tier(name, new LimitsDefinition(new LimitDefinition("tier " + name, Settings.NONE), null, true));
    }

    private RuleDefinition tier(String name, LimitsDefinition limits) {
        Map<String, LimitsDefinition> tiers = new LinkedHashMap<>(value(LimitsDefinition.TIERS, Map.of()));
        tiers.put(name, limits);
        return with(LimitsDefinition.TIERS, tiers);
    }

    /** Sets the key part or expression that returns the name of the tier. */
    default RuleDefinition tierBy(String source) {
        return with(RuleOptions.TIER_BY, source);
    }

    /** Sets candidate limits, which are counted next to the rule's own without effect. */
    default RuleDefinition candidate(Limit... limits) {
        return with(LimitsDefinition.CANDIDATE, LimitsDefinition.of(RuleOrigin.source("candidate"), List.of(limits)));
    }

    /** Sets the name of a {@link LimitResolver} bean, or an expression, that returns the limit of each key. */
    default RuleDefinition limitResolver(String source) {
        return with(RuleOptions.LIMIT_RESOLVER, source);
    }

    /** Sets how long the resolved limit of a key is cached. */
    default RuleDefinition limitCache(Duration time) {
        return with(RuleOptions.LIMIT_CACHE, time.toString());
    }

    default RuleDefinition onFailure(OnFailure how) {
        return with(RuleOptions.ON_FAILURE, how);
    }

    default RuleDefinition headers(HeaderStyle style) {
        return with(RuleOptions.HEADERS, style);
    }

    /** Sets the share of the limit that each instance leases from Redis, such as {@code 5%}. */
    default RuleDefinition lease(String share) {
        return with(RuleOptions.LEASE, share);
    }
}
