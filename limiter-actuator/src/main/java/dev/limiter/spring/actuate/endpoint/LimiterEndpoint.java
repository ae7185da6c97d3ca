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
 * Shows the rules, what they decided and where a key stands; changes a rule, and forgets what a key used. Changes end
 * with the application unless Redis or {@code limiter.changes-file} keeps them. Evaluates no expression. Thread-safe;
 * with storage: redis, what is about a key blocks for as long as a decision may.
 */
@Endpoint(id = "limiter", defaultAccess = Access.READ_ONLY)
public final class LimiterEndpoint {

    private final LiveRules rules;
    private final RuleReader reader;
    private final KeyReader keys;
    private final RuleChanger changer;
    private final KeyChanger keyChanger;

    /**
     * @param events where changes are published
     * @param hash what is told there instead of keys
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

    /** All rules by their names, and the storage. */
    @ReadOperation
    public Map<String, Object> rules() {
        return reader.all();
    }

    /**
     * One rule, or where a key of it stands, charging nothing; null if there is no such rule.
     *
     * @param key as storages have it, or the value of its only part, such as an address, or the hash of one that was
     *     rejected lately, has another limit for a while, or holds permits
     * @param resource such as {@code GET /orders/{id}}, where each has a bucket of its own
     * @param suggest instead of that, the limit that would have rejected such a share of the keys: {@code 0.1%}
     * @throws IllegalArgumentException if that is no key of the rule
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
     * Changes the mode of all rules from now on; that of a rule counts if it is weaker.
     *
     * @param mode {@code enforce}, {@code shadow} or {@code off}
     * @param until and the other parameters as in {@link #change}
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

    /** Reverts the mode of all rules to the configuration; parameters as in {@link #restore}. */
    @DeleteOperation
    public Map<String, Object> restoreAll(@Nullable String version, @Nullable String reason, SecurityContext who) {
        Long madeFor = version(version);
        return changer.revertAll(madeFor, new Operator(who, reason));
    }

    /** The names of all rules. */
    List<String> names() {
        return rules.all().stream().map(RateLimitRule::name).distinct().toList();
    }

    /**
     * Changes a rule from now on, or bans a key of it, or gives a key other limits for a while; null if there is no such
     * rule.
     *
     * @param named which of several limits
     * @param key to change, as in {@link #rule}; null to change the rule
     * @param resource as in {@link #rule}
     * @param until when the change ends: an instant such as {@code 2026-12-01T08:00:00Z}, or a duration from now such as
     *     {@code 2h}, up to 366 days; needed for a key
     * @param observe true to record from now on what keys ask for, false to forget it; nothing else is changed then
     * @param version of the rules that the change is made for; any if null
     * @param reason why, for the audit
     * @throws LimiterConfigurationException if the rule cannot be like that
     * @throws dev.limiter.spring.operate.StaleVersionException if the rules have changed since that version
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
     * Reverts a rule to the configuration, or makes a key as if it had never asked, without a ban; null if there is
     * neither such a rule nor a change of it.
     *
     * @param key as in {@link #rule}
     * @param resource as in {@link #rule}
     * @param override true to end the limits that the key has for a while, and nothing else
     * @param version as in {@link #change}; of a key that is to be as if it had never asked, none
     * @param reason why, for the audit
     * @throws IllegalArgumentException if that is no key of the rule
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
            throw new IllegalArgumentException("A key is reset in any version of the rules: leave version out.");
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
