package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.key.ResolvedKey;
import dev.limiter.spring.operate.Change;
import dev.limiter.spring.operate.Changes.Target;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.rule.Mode;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Resets, bans and overrides keys of rules. Thread-safe; may block for as long as a decision. */
final class KeyChanger {

    private final LiveRules rules;
    private final RuleDecider decider;
    private final KeyReader reader;
    private final OperatorLog log;
    private final KeyHash hash;

    KeyChanger(LiveRules rules, RuleDecider decider, KeyReader reader, OperatorLog log, KeyHash hash) {
        this.rules = rules;
        this.decider = decider;
        this.reader = reader;
        this.log = log;
        this.hash = hash;
    }

    /** Clears the used permits and the ban of keys. */
    void reset(String name, Map<RateLimitRule, String> keys, Operator operator) {
        keys.forEach((rule, key) -> {
            decider.reset(rule, key);
            report("LIMITER_KEY_RESET", name, key, operator);
        });
    }

    private void report(String type, String rule, String key, Operator operator) {
        log.report(type, rule, Map.of("keyHash", hash.of(key)), operator);
    }

    /** Bans keys as too many rejections would. With a shared storage the ban applies to all instances. */
    Map<String, Object> ban(Map<RateLimitRule, String> keys, Operator operator) {
        Map<ResolvedKey, RateLimitRule> bans = new LinkedHashMap<>();
        keys.forEach((rule, text) -> {
            ResolvedKey key = rule.keyOf(text, null)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "The key of this rule has changed in the meantime; this one no longer belongs to it."));
            checkBan(rule, key);
            bans.put(key, rule);
        });
        bans.forEach((key, rule) -> {
            decider.ban(rule, key);
            report("LIMITER_KEY_BANNED", rule.name(), key.text(), operator);
        });
        return reader.standings(keys);
    }

    private static void checkBan(RateLimitRule rule, ResolvedKey key) {
        if (rule.banOf(key) == null) {
            throw new IllegalArgumentException(
                    rule.ban() == null
                            ? "This rule does not ban keys: configure its ban.after, ban.within and ban.for first."
                            : "Cannot ban this key: it is shared by all unidentified clients.");
        }
        if (rule.mode() != Mode.ENFORCE) {
            throw new IllegalArgumentException(
                    "Cannot ban this key: the rule is in mode " + EnumText.of(rule.mode()) + " and rejects nothing.");
        }
        if (!rule.enforces(key)) {
            throw new IllegalArgumentException("Cannot ban this key: the rule is enforced for " + rule.rollout()
                    + " of the keys, and this is not one of them.");
        }
    }

    /** Overrides the limits of keys until the requested end. */
    Map<String, Object> change(
            Map<RateLimitRule, String> keys, RequestedChange wanted, @Nullable Long version, Operator operator) {
        String rule = keys.keySet().iterator().next().name();
        Set<String> distinct = new LinkedHashSet<>(keys.values());
        Change change = operator.change(wanted, rules.now());
        rules.change(rule, distinct, change, version);
        distinct.forEach(key -> log.report(
                "LIMITER_KEY_OVERRIDDEN",
                rule,
                RuleDescription.of(rules.changes().ofKeys(rule).getOrDefault(key, change), hash.of(key)),
                operator));
        return reader.standingsNow(keys);
    }

    /** Removes the overrides of keys. */
    Map<String, Object> revert(Map<RateLimitRule, String> keys, @Nullable Long version, Operator operator) {
        String rule = keys.keySet().iterator().next().name();
        Set<Target> targets = keys.values().stream()
                .map(key -> new Target(rule, key))
                .collect(Collectors.toCollection(LinkedHashSet::new));
        rules.revert(targets::contains, version);
        keys.values().stream().distinct().forEach(key -> report("LIMITER_OVERRIDE_ENDED", rule, key, operator));
        return reader.standingsNow(keys);
    }
}
