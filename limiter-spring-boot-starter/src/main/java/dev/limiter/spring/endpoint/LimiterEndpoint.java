package dev.limiter.spring.endpoint;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.Ban;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.spring.operate.DemandRecorder;
import dev.limiter.spring.operate.DemandRecorder.Recording;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.PeakDemand.Suggestion;
import dev.limiter.spring.operate.RefusedKeys;
import dev.limiter.spring.operate.RuleChange;
import dev.limiter.spring.operate.SuggestLimit;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * Shows the rules, what they decided and where a key stands; changes a rule until the application ends, and forgets what a
 * key used. Evaluates no expression. Thread-safe; with storage: redis, what is about a key blocks for as long as a decision
 * may.
 */
@Endpoint(id = "limiter", defaultAccess = Access.READ_ONLY)
public final class LimiterEndpoint {

    private static final int MOST_REFUSED = 10;

    private static final String FOR_KEYS =
            "Of a key, say \"ban\": true and nothing else, or \"limit\" and \"until\", such as 2h; all else is changed for all"
                    + " keys of a rule, without key and resource. DELETE with the key ends a ban.";

    private final LiveRules rules;
    private final RateLimiters limiters;
    private final DecisionCounts counts;
    private final RefusedKeys refused;
    private final DemandRecorder demand;
    private final String storage;
    private final OperatorLog log;
    private final KeyHash hash;

    /**
     * @param storage its name in metrics
     * @param events where changes are published
     * @param hash what is told there instead of keys
     */
    public LimiterEndpoint(
            LiveRules rules,
            RateLimiters limiters,
            DecisionCounts counts,
            RefusedKeys refused,
            DemandRecorder demand,
            String storage,
            ApplicationEventPublisher events,
            KeyHash hash) {
        this.log = new OperatorLog(events, hash);
        this.hash = hash;
        this.rules = rules;
        this.limiters = limiters;
        this.counts = counts;
        this.refused = refused;
        this.demand = demand;
        this.storage = storage;
    }

    /** All rules by their names, and the storage. */
    @ReadOperation
    public Map<String, Object> rules() {
        Map<String, List<RateLimitRule>> byName = new LinkedHashMap<>();
        rules.all()
                .forEach(rule -> byName.computeIfAbsent(rule.name(), name -> new ArrayList<>())
                        .add(rule));
        Map<String, Object> described = new LinkedHashMap<>();
        byName.forEach((name, rules) -> described.put(name, describe(rules)));
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("version", rules.version());
        rules.problem().ifPresent(problem -> body.put("problem", problem));
        body.put("storage", Map.of("type", storage, "keys", limiters.storage().size()));
        body.put("waiting", limiters.waiting());
        body.put("refusedMost", refusedMost(null));
        body.put("rules", described);
        return body;
    }

    /**
     * One rule, or where a key of it stands, charging nothing; null if there is no such rule.
     *
     * @param key as storages have it, or the value of its only part, such as an address, or the hash of one that was
     *     refused lately
     * @param resource such as {@code GET /orders/{id}}, where each has a bucket of its own
     * @param suggest instead of that, the limit that would have refused such a share of the keys: {@code 0.1%}
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
            return suggestion(named.get(0), suggest);
        }
        if (key == null && resource == null) {
            Map<String, Object> body = describe(named);
            body.put("refusedMost", refusedMost(named.get(0).name()));
            return body;
        }
        return standings(keys(named, key, resource));
    }

    private Map<String, Object> suggestion(RateLimitRule rule, String suggest) {
        double share = SuggestLimit.share(suggest);
        Recording recording = demand.of(rule.name())
                .orElseThrow(
                        () -> new IllegalArgumentException("Nothing is known of the demand for this rule: have it be"
                                + " recorded with POST and \"observe\": true, and come back later."));
        Suggestion suggestion = recording.demand().suggest(share);
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("limit", suggestion.limit());
        body.put("window", recording.window().toString());
        body.put("keys", suggestion.keys());
        body.put("requests", suggestion.requests());
        body.put("since", recording.since().toString());
        return body;
    }

    private Map<String, Object> observe(
            RateLimitRule rule, boolean begin, SecurityContext who, @Nullable String reason) {
        if (begin) {
            Duration window = rule.rule().limits().get(0).window();
            if (window.isZero()) {
                throw new IllegalArgumentException("A limit without a window has no demand to be recorded.");
            }
            demand.begin(rule.name(), window);
        } else {
            demand.end(rule.name());
        }
        log.observed(rule.name(), begin, who, reason);
        return describe(rules.named(rule.name()));
    }

    private Map<String, Object> standings(Map<RateLimitRule, String> keys) {
        return Map.of(
                "buckets",
                keys.entrySet().stream()
                        .map(bucket -> standing(bucket.getKey(), bucket.getValue()))
                        .toList());
    }

    /**
     * Changes a rule from now on, or bans a key of it, or gives a key another limit for a while; null if there is no such
     * rule.
     *
     * @param key to ban, as in {@link #rule}; null to change the rule
     * @param resource as in {@link #rule}
     * @param named which of several limits
     * @param until when the limit of a key is that of the rule again: an instant such as {@code 2026-12-01T08:00:00Z}, or a
     *     duration from now such as {@code 2h}, up to 366 days
     * @param observe true to record from now on what keys ask for, false to forget it; nothing else is changed then
     * @param version of the rules that the change is made for; any if null
     * @param reason why, for the audit
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the rule cannot be like that
     * @throws dev.limiter.spring.operate.StaleVersionException if the rules have changed since that version
     */
    @WriteOperation
    @Nullable
    public Map<String, Object> change(
            @Selector String rule,
            @Nullable String named,
            @Nullable Long limit,
            @Nullable String window,
            @Nullable Long burst,
            @Nullable Mode mode,
            @Nullable String enforce,
            @Nullable String key,
            @Nullable String resource,
            @Nullable Boolean ban,
            @Nullable String until,
            @Nullable Boolean observe,
            @Nullable Long version,
            @Nullable String reason,
            SecurityContext operator) {
        List<RateLimitRule> before = rules.named(rule);
        if (before.isEmpty()) {
            return null;
        }
        if (observe != null) {
            return observe(before.get(0), observe, operator, reason);
        }
        if (key == null && resource == null && ban == null && until == null) {
            long changed = rules.change(rule, new RuleChange(named, limit, window, burst, mode, enforce), version);
            return tellChange(rule, before, changed, operator, reason);
        }
        if (window != null || burst != null || mode != null || enforce != null || (ban == null) == (until == null)) {
            throw new IllegalArgumentException(FOR_KEYS);
        }
        if (until != null && limit != null) {
            return override(before, keys(before, key, resource), named, limit, until, version, operator, reason);
        }
        if (!Boolean.TRUE.equals(ban) || limit != null || named != null) {
            throw new IllegalArgumentException(FOR_KEYS);
        }
        return ban(before, key, resource, operator, reason);
    }

    private Map<String, Object> override(
            List<RateLimitRule> before,
            Map<RateLimitRule, String> keys,
            @Nullable String named,
            long limit,
            String until,
            @Nullable Long version,
            SecurityContext operator,
            @Nullable String reason) {
        String rule = before.get(0).name();
        Instant end = rules.end(until);
        List<KeyOverride> overrides = keys.values().stream()
                .distinct()
                .map(key -> new KeyOverride(key, named, limit, end, OperatorLog.bounded(reason)))
                .toList();
        rules.override(rule, overrides, version);
        overrides.forEach(each -> log.overridden(rule, each, operator, reason));
        return standings(inForce(keys));
    }

    /** The same rules as they are now: each change replaces them. */
    private Map<RateLimitRule, String> inForce(Map<RateLimitRule, String> keys) {
        Map<RateLimitRule, String> now = new LinkedHashMap<>();
        keys.forEach((rule, key) -> rules.named(rule.name()).stream()
                .filter(same -> same.origin().equals(rule.origin()))
                .findFirst()
                .ifPresent(same -> now.put(same, key)));
        return now;
    }

    /** Begins the ban that follows too many rejections, where the states are: for all instances, of a shared storage. */
    private Map<String, Object> ban(
            List<RateLimitRule> named,
            @Nullable String key,
            @Nullable String resource,
            SecurityContext operator,
            @Nullable String reason) {
        String rule = named.get(0).name();
        Map<RateLimitRule, String> keys = keys(named, key, resource);
        Map<String, Ban> bans = new LinkedHashMap<>();
        keys.forEach((one, whole) -> bans.put(whole, banOf(one, whole)));
        bans.forEach((whole, ban) -> {
            limiters.tryAcquire(ban.bans(), whole);
            log.banned(rule, whole, operator, reason);
        });
        return standings(keys);
    }

    private static Ban banOf(RateLimitRule rule, String key) {
        Ban ban = rule.banOf(rule.rule().charge(key));
        if (ban == null) {
            throw new IllegalArgumentException(
                    rule.ban() == null
                            ? "This rule bans nobody: ban.after, ban.within and ban.for of its configuration say for how"
                                    + " long that would be."
                            : "All who have no key of their own share this one.");
        }
        return ban;
    }

    /**
     * Has a rule be as configured, or a key be as if it had never asked, without a ban; null if there is no such rule.
     *
     * @param key as in {@link #rule}
     * @param resource as in {@link #rule}
     * @param override true to end the limit that the key has for a while, and nothing else
     * @param reason why, for the audit
     * @throws IllegalArgumentException if that is no key of the rule
     */
    @DeleteOperation
    @Nullable
    public Map<String, Object> restore(
            @Selector String rule,
            @Nullable String key,
            @Nullable String resource,
            @Nullable Boolean override,
            @Nullable String reason,
            SecurityContext operator) {
        List<RateLimitRule> named = rules.named(rule);
        if (named.isEmpty()) {
            return null;
        }
        if (Boolean.TRUE.equals(override)) {
            return endOverride(named, keys(named, key, resource), operator, reason);
        }
        if (key == null && resource == null) {
            return tellChange(rule, named, rules.restore(rule), operator, reason);
        }
        Map<RateLimitRule, String> keys = keys(named, key, resource);
        keys.forEach((one, whole) -> {
            for (Rule counted : RuleDescription.countedBy(one)) {
                limiters.reset(counted, whole);
            }
            log.reset(rule, whole, operator, reason);
        });
        return rule(rule, key, resource, null);
    }

    private Map<String, Object> endOverride(
            List<RateLimitRule> named,
            Map<RateLimitRule, String> keys,
            SecurityContext operator,
            @Nullable String reason) {
        String rule = named.get(0).name();
        rules.endOverrides(rule, List.copyOf(keys.values()));
        keys.values().stream().distinct().forEach(key -> log.overrideEnded(rule, key, operator, reason));
        return standings(inForce(keys));
    }

    /**
     * Has all rules be as they were before the last change; the next one undoes that.
     *
     * @param undo true, so that nothing is undone by a request without content
     * @param version as in {@link #change}
     * @param reason why, for the audit
     * @throws IllegalArgumentException if there is no change that this instance knows of
     */
    @WriteOperation
    public Map<String, Object> undo(
            @Nullable Boolean undo, @Nullable Long version, @Nullable String reason, SecurityContext operator) {
        if (!Boolean.TRUE.equals(undo)) {
            throw new IllegalArgumentException(
                    "Say \"undo\": true, or which rule is to be changed, as a part of the path.");
        }
        log.undone(rules.undo(version), operator, reason);
        return rules();
    }

    private Map<String, Object> tellChange(
            String rule, List<RateLimitRule> before, long version, SecurityContext operator, @Nullable String reason) {
        List<RateLimitRule> after = rules.named(rule);
        log.changed(rule, RuleDescription.settings(before), RuleDescription.settings(after), version, operator, reason);
        return describe(after);
    }

    private Map<String, Object> describe(List<RateLimitRule> named) {
        String name = named.get(0).name();
        Map<String, Object> body =
                RuleDescription.of(named, rules.definition(name).orElse(null));
        body.put("changed", rules.isChanged(name));
        List<Map<String, Object>> overrides = named.get(0).overrides().stream()
                .map(override -> RuleDescription.of(override, hash.of(override.key())))
                .toList();
        if (!overrides.isEmpty()) {
            body.put("overrides", overrides);
        }
        body.put("decisions", counts.of(name));
        body.put("recentDecisions", counts.recent(name));
        return body;
    }

    private List<Map<String, Object>> refusedMost(@Nullable String rule) {
        return refused.most(rule, MOST_REFUSED).stream()
                .map(RuleDescription::of)
                .toList();
    }

    private Map<RateLimitRule, String> keys(
            List<RateLimitRule> named, @Nullable String key, @Nullable String resource) {
        Map<RateLimitRule, String> keys = new LinkedHashMap<>();
        for (RateLimitRule rule : named) {
            Optional<String> hashed = key == null ? Optional.empty() : refused.find(rule.name(), key);
            Optional<String> whole = hashed.isPresent() ? hashed : rule.keyOf(key, resource);
            whole.ifPresent(found -> keys.put(rule, found));
        }
        if (keys.isEmpty()) {
            RateLimitRule rule = named.get(0);
            String parts = String.join(", ", rule.keyParts());
            throw new IllegalArgumentException(
                    parts.isEmpty()
                            ? "All share one bucket of this rule: give an empty key."
                            : "The key of this rule is made of " + parts
                                    + ": give the value of its only part as key, or the"
                                    + " whole key as the storage has it; and the resource, such as GET /orders/{id}, where"
                                    + " each has a bucket of its own, and only there.");
        }
        return keys;
    }

    private Map<String, Object> standing(RateLimitRule rule, String key) {
        Ban ban = rule.ban();
        Map<String, Object> body = RuleDescription.of(
                rule, limiters.peek(rule.limitsOf(key), key), ban == null ? null : limiters.peek(ban.bans(), key));
        List<Map<String, Object>> overrides = rule.overrides().stream()
                .filter(override -> override.key().equals(key))
                .map(override -> RuleDescription.of(override, null))
                .toList();
        if (!overrides.isEmpty()) {
            body.put("overrides", overrides);
        }
        return body;
    }
}
