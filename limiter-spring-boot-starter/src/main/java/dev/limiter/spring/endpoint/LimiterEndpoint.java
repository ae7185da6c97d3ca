package dev.limiter.spring.endpoint;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.Ban;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RefusedKeys;
import dev.limiter.spring.operate.RuleChange;
import dev.limiter.spring.rule.Mode;
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

    private final LiveRules rules;
    private final RateLimiters limiters;
    private final DecisionCounts counts;
    private final RefusedKeys refused;
    private final String storage;
    private final OperatorLog log;

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
            String storage,
            ApplicationEventPublisher events,
            KeyHash hash) {
        this.log = new OperatorLog(events, hash);
        this.rules = rules;
        this.limiters = limiters;
        this.counts = counts;
        this.refused = refused;
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
     * @throws IllegalArgumentException if that is no key of the rule
     */
    @ReadOperation
    @Nullable
    public Map<String, Object> rule(@Selector String rule, @Nullable String key, @Nullable String resource) {
        List<RateLimitRule> named = rules.named(rule);
        if (named.isEmpty()) {
            return null;
        }
        if (key == null && resource == null) {
            Map<String, Object> body = describe(named);
            body.put("refusedMost", refusedMost(named.get(0).name()));
            return body;
        }
        return standings(keys(named, key, resource));
    }

    private Map<String, Object> standings(Map<RateLimitRule, String> keys) {
        return Map.of(
                "buckets",
                keys.entrySet().stream()
                        .map(bucket -> standing(bucket.getKey(), bucket.getValue()))
                        .toList());
    }

    /**
     * Changes a rule from now on, until the application ends, or bans a key of it; null if there is no such rule.
     *
     * @param key to ban, as in {@link #rule}; null to change the rule
     * @param resource as in {@link #rule}
     * @param named which of several limits
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
            @Nullable String key,
            @Nullable String resource,
            @Nullable Boolean ban,
            @Nullable Long version,
            @Nullable String reason,
            SecurityContext operator) {
        List<RateLimitRule> before = rules.named(rule);
        if (before.isEmpty()) {
            return null;
        }
        RuleChange change = new RuleChange(named, limit, window, burst, mode);
        if (key != null || resource != null || ban != null) {
            if (!Boolean.TRUE.equals(ban) || !change.isEmpty()) {
                throw new IllegalArgumentException(
                        "Of a key, say \"ban\": true and nothing else; a limit is changed for"
                                + " all keys of its rule, and DELETE ends a ban.");
            }
            return ban(before, key, resource, operator, reason);
        }
        long changed = rules.change(rule, change, version);
        return tellChange(rule, before, changed, operator, reason);
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
     * @param reason why, for the audit
     * @throws IllegalArgumentException if that is no key of the rule
     */
    @DeleteOperation
    @Nullable
    public Map<String, Object> restore(
            @Selector String rule,
            @Nullable String key,
            @Nullable String resource,
            @Nullable String reason,
            SecurityContext operator) {
        List<RateLimitRule> named = rules.named(rule);
        if (named.isEmpty()) {
            return null;
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
        return rule(rule, key, resource);
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
        return RuleDescription.of(
                rule, limiters.peek(rule.rule(), key), ban == null ? null : limiters.peek(ban.bans(), key));
    }
}
