package dev.limiter.spring.actuate.endpoint;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.key.ResolvedKey;
import dev.limiter.spring.operate.Changes.Revision;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.Mode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Resets, bans and overrides keys of rules. Thread-safe; blocks for as long as a decision may. */
final class KeyChanger {

    private final LiveRules rules;
    private final RateLimiters limiters;
    private final RuleDecider decider;
    private final KeyReader reader;
    private final PermitHolders holders;
    private final OperatorLog log;

    KeyChanger(
            LiveRules rules,
            RateLimiters limiters,
            RuleDecider decider,
            KeyReader reader,
            PermitHolders holders,
            OperatorLog log) {
        this.rules = rules;
        this.limiters = limiters;
        this.decider = decider;
        this.reader = reader;
        this.holders = holders;
        this.log = log;
    }

    /** Has keys be as if they had never asked, without a ban. */
    void reset(String name, Map<RateLimitRule, String> keys, Operator operator) {
        keys.forEach((rule, key) -> {
            for (Rule counted : RuleDescription.countedBy(rule)) {
                limiters.reset(counted, key);
                holders.forget(counted.name(), key);
            }
            log.reset(name, key, operator);
        });
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
            log.banned(rule.name(), key.text(), operator);
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
            throw new IllegalArgumentException("This rule is enforced for " + rule.enforced()
                    + " of the keys: this one is not among them, and would be served as well.");
        }
    }

    /** Gives keys another limit for a while. */
    Map<String, Object> override(Map<RateLimitRule, String> keys, RequestedChange wanted, Operator operator) {
        String rule = keys.keySet().iterator().next().name();
        Instant end = OverrideEndParser.of(Objects.requireNonNull(wanted.until()), rules.now());
        long limit = Objects.requireNonNull(wanted.settings().limit());
        List<KeyOverride> overrides = keys.values().stream()
                .distinct()
                .map(key -> new KeyOverride(key, wanted.settings().named(), limit, end, operator.boundedReason()))
                .toList();
        rules.override(rule, overrides, wanted.version());
        overrides.forEach(each -> log.overridden(rule, each, operator));
        return reader.standingsNow(keys);
    }

    /** Has keys have the limits of their rule again. */
    Map<String, Object> endOverrides(Map<RateLimitRule, String> keys, @Nullable Revision version, Operator operator) {
        String rule = keys.keySet().iterator().next().name();
        rules.endOverrides(rule, List.copyOf(keys.values()), version);
        keys.values().stream().distinct().forEach(key -> log.overrideEnded(rule, key, operator));
        return reader.standingsNow(keys);
    }
}
