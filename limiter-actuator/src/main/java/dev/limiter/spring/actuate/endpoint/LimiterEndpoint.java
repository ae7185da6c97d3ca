package dev.limiter.spring.actuate.endpoint;

import dev.limiter.RateLimiters;
import dev.limiter.spring.compile.Caps;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.spring.operate.DemandRecorder;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RejectedKeys;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.lang.Nullable;

/**
 * Shows rules, their decisions and the state of keys; changes rules and resets keys. Changes are lost on shutdown
 * unless they are stored in Redis or {@code limiter.changes-file}. No expression from a request is evaluated.
 *
 * <p>Thread-safe. With storage: redis, operations on keys may block for as long as a decision.
 */
@Endpoint(id = "limiter", defaultAccess = Access.READ_ONLY)
public final class LimiterEndpoint {

    private final LiveRules rules;
    private final RuleReader reader;
    private final KeyReader keys;
    private final RuleChanger changer;
    private final KeyChanger keyChanger;

    /**
     * @param events receives an audit event for each change
     * @param hash replaces keys in logs and events
     */
    public LimiterEndpoint(
            LiveRules rules,
            RateLimiters limiters,
            RuleDecider decider,
            Caps caps,
            DecisionCounts counts,
            RejectedKeys rejected,
            DemandRecorder demand,
            PermitHolders holders,
            DecidingStorage storage,
            ApplicationEventPublisher events,
            KeyHash hash) {
        HeldPermitReader held = new HeldPermitReader(holders, hash);
        OperatorLog log = new OperatorLog(events);
        this.rules = rules;
        this.reader = new RuleReader(rules, limiters, caps, counts, rejected, demand, storage, held, hash);
        this.keys = new KeyReader(rules, limiters, rejected, held, hash);
        this.changer = new RuleChanger(rules, demand, reader, log);
        this.keyChanger = new KeyChanger(rules, decider, keys, log, hash);
    }

    /** Returns all rules by name, and the storage. */
    @ReadOperation
    public Map<String, Object> rules() {
        return reader.all();
    }

    /**
     * Returns a rule, or the state of one of its keys without charging it; null if the rule does not exist.
     *
     * @param key the full key as stored, the value of its only part, such as an address, or the hash of a key that was
     *     rejected recently, has an override, or holds permits
     * @param resource such as {@code GET /orders/{id}}, if each endpoint has its own bucket
     * @param suggest a share of keys, such as {@code 0.1%}: returns the limit that would have rejected this share
     * @throws IllegalArgumentException if the rule cannot have such a key
     */
    @ReadOperation
    @Nullable
    public Map<String, Object> rule(
            @Selector String rule, @Nullable String key, @Nullable String resource, @Nullable String suggest) {
        List<RateLimitRule> named = rules.named(rule);
        if (named.isEmpty()) {
            return null;
        }
        if (suggest != null) {
            return reader.suggestion(named.get(0), suggest);
        }
        return key == null && resource == null ? reader.one(named) : keys.standings(named, key, resource);
    }

    /**
     * Changes the mode of all rules. A rule with a weaker mode keeps its own.
     *
     * @param mode {@code enforce}, {@code shadow} or {@code off}
     * @param until as in {@link #change}
     * @param version as in {@link #change}
     * @param reason as in {@link #change}
     */
    @WriteOperation
    public Map<String, Object> changeAll(
            @Nullable String mode,
            @Nullable String until,
            @Nullable String version,
            @Nullable String reason,
            SecurityContext who) {
        Map<String, String> settings = new LinkedHashMap<>();
        put(settings, "", RuleOptions.MODE, mode);
        Long madeFor = version(version);
        return changer.changeAll(
                new RequestedChange(settings, null, null, null, until, null), madeFor, new Operator(who, reason));
    }

    /** Reverts the mode of all rules to the configuration. Parameters are as in {@link #restore}. */
    @DeleteOperation
    public Map<String, Object> restoreAll(@Nullable String version, @Nullable String reason, SecurityContext who) {
        Long madeFor = version(version);
        return changer.revertAll(madeFor, new Operator(who, reason));
    }

    List<String> names() {
        return rules.all().stream().map(RateLimitRule::name).distinct().toList();
    }

    /**
     * Changes a rule, overrides the limits of a key, or bans a key. Returns null if the rule does not exist.
     *
     * @param named the limit to change, if the rule has named limits
     * @param key the key to change, as in {@link #rule}; null to change the rule
     * @param resource as in {@link #rule}
     * @param until the end of the change: an instant such as {@code 2026-12-01T08:00:00Z}, or a duration from now such
     *     as {@code 2h}, up to 366 days; required for a key
     * @param observe true to start recording demand, false to discard it; must be the only change
     * @param version the version of the rules that the caller has seen; null to skip the check
     * @param reason the reason, for the audit log
     * @throws LimiterConfigurationException if the changed rule would be invalid
     * @throws dev.limiter.spring.operate.StaleVersionException if the rules have changed since {@code version}
     */
    @WriteOperation
    @Nullable
    public Map<String, Object> change(
            @Selector String rule,
            @Nullable String named,
            @Nullable String limit,
            @Nullable String window,
            @Nullable String burst,
            @Nullable String mode,
            @Nullable String rollout,
            @Nullable String key,
            @Nullable String resource,
            @Nullable Boolean ban,
            @Nullable String until,
            @Nullable Boolean observe,
            @Nullable String version,
            @Nullable String reason,
            SecurityContext who) {
        List<RateLimitRule> before = rules.named(rule);
        if (before.isEmpty()) {
            return null;
        }
        String parent = named == null ? "" : "limits." + named + ".";
        Map<String, String> settings = new LinkedHashMap<>();
        put(settings, parent, LimitOptions.LIMIT, limit);
        put(settings, parent, LimitOptions.WINDOW, window);
        put(settings, parent, LimitOptions.BURST, burst);
        put(settings, "", RuleOptions.MODE, mode);
        put(settings, "", RuleOptions.ROLLOUT, rollout);
        RequestedChange wanted = new RequestedChange(settings, key, resource, ban, until, observe);
        wanted.checkFits(before.get(0));
        RequestedChange.Kind kind = wanted.kind();
        Long madeFor = version(version);
        Operator operator = new Operator(who, reason);
        return switch (kind) {
            case OBSERVE -> changer.observe(before.get(0), Boolean.TRUE.equals(observe), operator);
            case RULE -> changer.change(rule, before, wanted, madeFor, operator);
            case KEY -> keyChanger.change(keys.findToChange(before, key, resource), wanted, madeFor, operator);
            case BAN -> keyChanger.ban(keys.findToChange(before, key, resource), operator);
        };
    }

    private static void put(Map<String, String> settings, String parent, Option<?> option, @Nullable String text) {
        if (text != null) {
            settings.put(parent + option.name(), text);
        }
    }

    /**
     * Reverts a rule to the configuration, or resets a key. Returns null if neither the rule nor a change of it exists.
     *
     * @param key as in {@link #rule}
     * @param resource as in {@link #rule}
     * @param override true to remove only the override of the key
     * @param version as in {@link #change}; must be null to reset a key
     * @param reason the reason, for the audit log
     * @throws IllegalArgumentException if the rule cannot have such a key
     * @throws dev.limiter.spring.operate.StaleVersionException as for {@link #change}
     */
    @DeleteOperation
    @Nullable
    public Map<String, Object> restore(
            @Selector String rule,
            @Nullable String key,
            @Nullable String resource,
            @Nullable Boolean override,
            @Nullable String version,
            @Nullable String reason,
            SecurityContext who) {
        List<RateLimitRule> named = rules.named(rule);
        Long madeFor = version(version);
        Operator operator = new Operator(who, reason);
        boolean ofOverride = Boolean.TRUE.equals(override);
        boolean whole = key == null && resource == null && !ofOverride;
        if (named.isEmpty()) {
            return whole ? changer.forget(rule, madeFor, operator) : null;
        }
        if (whole) {
            return changer.revert(rule, named, madeFor, operator);
        }
        Map<RateLimitRule, String> found = keys.findToChange(named, key, resource);
        if (ofOverride) {
            return keyChanger.revert(found, madeFor, operator);
        }
        if (version != null) {
            throw new IllegalArgumentException(
                    "Resetting a key does not depend on the version of the rules: leave version out.");
        }
        keyChanger.reset(rule, found, operator);
        return keys.standings(found);
    }

    private static @Nullable Long version(@Nullable String text) {
        if (text != null && !text.strip().matches("[0-9]{1,18}")) {
            throw new LimiterConfigurationException(
                    new Problem(MessageCode.UNREADABLE_VALUE, "version", text, "This must be a whole number."));
        }
        return text == null ? null : Long.valueOf(text.strip());
    }
}
