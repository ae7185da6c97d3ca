package dev.limiter.spring.rule;

import dev.limiter.Limit;
import dev.limiter.OnFailure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of a rule in Java. Each method returns a copy of the rule with a setting, which means the same as in
 * {@code application.yml}; values are checked when the rule is put in force.
 */
public interface RuleTerms {

    /** The value of an option; null if it is not set. */
    <T> T value(Option<T> option, T otherwise);

    /** The rule with a setting, in place of an earlier one of the option. */
    <T> RuleDefinition with(Option<T> option, T value);

    /**
     * The limits, all of which apply. If there are several, all but one need a {@linkplain Limit#named name}. A leaky
     * bucket is paced if the rule has a {@link #maxWait}.
     */
    RuleDefinition limit(Limit... limits);

    /** A token bucket: so many permits per window, such as {@code 1m}. */
    RuleDefinition limit(long permits, String window);

    /** The paths of the requests that the rule applies to, such as {@code /api/**}. */
    default RuleDefinition paths(String... patterns) {
        return with(RuleOptions.PATHS, List.of(patterns));
    }

    /** The HTTP methods of these requests; all by default. */
    default RuleDefinition methods(String... methods) {
        return with(RuleOptions.METHODS, List.of(methods));
    }

    default RuleDefinition phase(Phase phase) {
        return with(RuleOptions.PHASE, phase);
    }

    default RuleDefinition scope(Scope scope) {
        return with(RuleOptions.SCOPE, scope);
    }

    /** The parts of the key, such as {@code principal|ip}; one bucket for all clients by default. */
    default RuleDefinition key(String... parts) {
        return with(RuleOptions.KEY, List.of(parts));
    }

    /** The permits that a request takes; 1 by default. */
    default RuleDefinition cost(long permits) {
        return cost(Long.toString(permits));
    }

    /** The permits that a request takes, as an expression. */
    default RuleDefinition cost(String expression) {
        return with(RuleOptions.COST, expression);
    }

    /** How long a request may wait for its turn. */
    default RuleDefinition maxWait(Duration longest) {
        return with(RuleOptions.MAX_WAIT, longest.toString());
    }

    /** How many requests may wait for one key. */
    default RuleDefinition maxWaiting(int requests) {
        return with(RuleOptions.MAX_WAITING, requests);
    }

    /** An expression that is true for requests that go first, with a share that is kept for them, such as {@code 20%}. */
    default RuleDefinition priority(String expression, String reserve) {
        return with(RuleOptions.PRIORITY, expression).with(RuleOptions.RESERVE, reserve);
    }

    default RuleDefinition mode(Mode mode) {
        return with(RuleOptions.MODE, mode);
    }

    /** The share of the keys for which the rule is enforced, such as {@code 10%}. */
    default RuleDefinition rollout(String share) {
        return with(RuleOptions.ROLLOUT, share);
    }

    /** The status of the response to rejected requests: 429, or 503 for a limit that protects the application. */
    default RuleDefinition status(int status) {
        return with(RuleOptions.STATUS, status);
    }

    /** An expression that is true for requests that the rule applies to. */
    default RuleDefinition condition(String expression) {
        return with(RuleOptions.CONDITION, expression);
    }

    /** {@code failed}, or an expression that is true for requests that stay charged. */
    default RuleDefinition chargeIf(String outcome) {
        return with(RuleOptions.CHARGE_IF, outcome);
    }

    /** Networks of clients that are never limited. */
    default RuleDefinition allow(String... networks) {
        return with(RuleOptions.ALLOW, List.of(networks));
    }

    /** Networks of clients that are always rejected. */
    default RuleDefinition deny(String... networks) {
        return with(RuleOptions.DENY, List.of(networks));
    }

    /** Bans a key after so many rejections within a time. */
    default RuleDefinition ban(long after, Duration within, Duration duration) {
        return with(BanOptions.AFTER, after)
                .with(BanOptions.WITHIN, within.toString())
                .with(BanOptions.FOR, duration.toString());
    }

    /** The limits of a tier, with the names that the limits of the rule have. */
    default RuleDefinition tier(String name, Limit... limits) {
        return tier(name, LimitsDefinition.of(RuleOrigin.source("tier " + name), List.of(limits)));
    }

    /** A tier to which the rule does not apply. */
    default RuleDefinition unlimitedTier(String name) {
        return tier(name, new LimitsDefinition(new LimitDefinition("tier " + name, Settings.NONE), null, true));
    }

    private RuleDefinition tier(String name, LimitsDefinition limits) {
        Map<String, LimitsDefinition> tiers = new LinkedHashMap<>(value(LimitsDefinition.TIERS, Map.of()));
        tiers.put(name, limits);
        return with(LimitsDefinition.TIERS, tiers);
    }

    /** The part of a key, or the expression, that gives the name of the tier. */
    default RuleDefinition tierBy(String source) {
        return with(RuleOptions.TIER_BY, source);
    }

    /** The limits that are counted next to those of the rule, without effect. */
    default RuleDefinition candidate(Limit... limits) {
        return with(LimitsDefinition.CANDIDATE, LimitsDefinition.of(RuleOrigin.source("candidate"), List.of(limits)));
    }

    /** The name of a {@link LimitResolver} bean, or an expression, that gives the limit of each key. */
    default RuleDefinition limitResolver(String source) {
        return with(RuleOptions.LIMIT_RESOLVER, source);
    }

    /** How long the limit of a key is kept. */
    default RuleDefinition limitCache(Duration time) {
        return with(RuleOptions.LIMIT_CACHE, time.toString());
    }

    default RuleDefinition onFailure(OnFailure how) {
        return with(RuleOptions.ON_FAILURE, how);
    }

    default RuleDefinition headers(HeaderStyle style) {
        return with(RuleOptions.HEADERS, style);
    }

    /** With Redis, the share of the limit that each instance takes ahead, such as {@code 5%}. */
    default RuleDefinition lease(String share) {
        return with(RuleOptions.LEASE, share);
    }
}
