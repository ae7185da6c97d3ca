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

/** Resets, bans and changes keys of rules. Thread-safe; blocks for as long as a decision may. */
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

    /** Makes keys as if they had never asked, without a ban. */
    void reset(String name, Map<RateLimitRule, String> keys, Operator operator) {
        keys.forEach((rule, key) -> {
            decider.reset(rule, key);
            report("LIMITER_KEY_RESET", name, key, operator);
        });
    }

    private void report(String type, String rule, String key, Operator operator) {
        log.report(type, rule, Map.of("keyHash", hash.of(key)), operator);
    }

    /**
     * Begins the ban that follows too many rejections, where the states are: for all instances, of a shared storage.
     */
    Map<String, Object> ban(Map<RateLimitRule, String> keys, Operator operator) {
        Map<ResolvedKey, RateLimitRule> bans = new LinkedHashMap<>();
        keys.forEach((rule, text) -> {
            ResolvedKey key = rule.keyOf(text, null)
                    .orElseThrow(() -> new IllegalArgumentException("The rule has no keys like this one any more."));
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
                            ? "This rule bans nobody: ban.after, ban.within and ban.for of its configuration say"
                                    + " for how long that would be."
                            : "All who have no key of their own share this one.");
        }
        if (rule.mode() != Mode.ENFORCE) {
            throw new IllegalArgumentException(
                    "The mode of this rule is " + EnumText.of(rule.mode()) + ": it serves banned keys as well.");
        }
        if (!rule.enforces(key)) {
            throw new IllegalArgumentException("This rule is enforced for " + rule.rollout()
                    + " of the keys: this one is not among them, and would be served as well.");
        }
    }

    /** Gives keys other limits than their rule has, for a while. */
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

    /** Gives keys the limits of their rule again. */
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
