package dev.limiter.spring.actuate.endpoint;

import dev.limiter.Decision;
import dev.limiter.RateLimiters;
import dev.limiter.spring.compile.Ban;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.key.RateLimitKey;
import dev.limiter.spring.key.ResolvedKey;
import dev.limiter.spring.operate.Change;
import dev.limiter.spring.operate.Changes.Target;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RejectedKeys;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys that an operator means, and shows where they stand. Thread-safe; blocks for as long as a decision may.
 */
final class KeyReader {

    private static final String FORGOTTEN = "This instance remembers no key with this hash. ";

    private final LiveRules rules;
    private final RateLimiters limiters;
    private final RejectedKeys rejected;
    private final HeldPermitReader held;
    private final KeyHash hash;

    KeyReader(LiveRules rules, RateLimiters limiters, RejectedKeys rejected, HeldPermitReader held, KeyHash hash) {
        this.held = held;
        this.hash = hash;
        this.rules = rules;
        this.limiters = limiters;
        this.rejected = rejected;
    }

    /**
     * The whole key of each rule of one name.
     *
     * @param key and {@code resource}: as in {@link LimiterEndpoint#rule}
     * @throws IllegalArgumentException if that is no key of any
     */
    Map<RateLimitRule, String> find(List<RateLimitRule> named, @Nullable String key, @Nullable String resource) {
        Map<RateLimitRule, String> keys = new LinkedHashMap<>();
        for (RateLimitRule rule : named) {
            Optional<String> hashed = key == null ? Optional.empty() : hashed(rule.name(), key);
            Optional<String> whole = hashed.isPresent()
                    ? hashed.filter(found -> isKeyOf(rule, found))
                    : rule.keyOf(key, resource).map(ResolvedKey::text);
            // methods that share a rule with scope: rule share its buckets
            whole.filter(found -> !keys.containsValue(found)).ifPresent(found -> keys.put(rule, found));
        }
        if (keys.isEmpty()) {
            throw noKey(named.get(0), key);
        }
        return keys;
    }

    private static boolean isKeyOf(RateLimitRule rule, String whole) {
        return rule.keyOf(whole, null).filter(key -> key.text().equals(whole)).isPresent();
    }

    /**
     * As {@link #find}, for keys of which something is to be changed.
     *
     * @throws IllegalArgumentException also if the key reads like a hash, and is none of a key that is known, nor one
     *     of which anything is stored
     */
    Map<RateLimitRule, String> findToChange(
            List<RateLimitRule> named, @Nullable String key, @Nullable String resource) {
        Map<RateLimitRule, String> keys = find(named, key, resource);
        if (isForgotten(key, keys)) {
            throw new IllegalArgumentException(forgotten(keys));
        }
        return keys;
    }

    private boolean isForgotten(@Nullable String key, Map<RateLimitRule, String> found) {
        return key != null
                && KeyHash.hasForm(key)
                && found.values().stream().noneMatch(whole -> hash.of(whole).equals(key))
                && found.entrySet().stream().noneMatch(bucket -> isStored(bucket.getKey(), bucket.getValue()));
    }

    /** Whether anything is stored for a key, or may be, while the storage does not answer. */
    private boolean isStored(RateLimitRule rule, String key) {
        return rules.changes().ofKeys(rule.name()).containsKey(key)
                || rule.counted().stream()
                        .map(counted -> limiters.peek(counted, key))
                        .anyMatch(standing -> standing.onFailure().isPresent() || RuleDescription.isUsed(standing));
    }

    private static String forgotten(Map<RateLimitRule, String> keys) {
        return FORGOTTEN + "Nothing is stored for a key that reads like it either: give the key itself, or such a key"
                + " whole, as " + keys.values().iterator().next() + ".";
    }

    /**
     * The key with a hash that the endpoint has told: of one that was rejected lately, has an override, or holds
     * permits.
     */
    private Optional<String> hashed(String rule, String keyHash) {
        return rejected.find(rule, keyHash)
                .or(() -> rules.changes().ofKeys(rule).keySet().stream()
                        .filter(key -> hash.of(key).equals(keyHash))
                        .findFirst())
                .or(() -> held.find(rule, keyHash));
    }

    private static IllegalArgumentException noKey(RateLimitRule rule, @Nullable String key) {
        String parts = String.join(", ", rule.keyParts());
        return new IllegalArgumentException((key != null && KeyHash.hasForm(key) ? FORGOTTEN : "")
                + (parts.isEmpty()
                        ? "All share one bucket of this rule: give an empty key."
                        : "The key of this rule is made of " + parts
                                + ": give the value of its only part as key, or the"
                                + " whole key as the storage has it; and the resource, such as GET /orders/{id}, where"
                                + " each has a bucket of its own, and only there."));
    }

    /** Where the keys that an operator means stand, charging nothing. */
    Map<String, Object> standings(List<RateLimitRule> named, @Nullable String key, @Nullable String resource) {
        Map<RateLimitRule, String> keys = find(named, key, resource);
        Map<String, Object> body = new LinkedHashMap<>(standings(keys));
        if (isForgotten(key, keys)) {
            body.put("note", forgotten(keys));
        }
        return body;
    }

    /** Where keys stand, charging nothing. */
    Map<String, Object> standings(Map<RateLimitRule, String> keys) {
        return Map.of(
                "buckets",
                keys.entrySet().stream()
                        .map(bucket -> standing(bucket.getKey(), bucket.getValue()))
                        .toList());
    }

    /** Where whole keys stand by the rules as they are now: each change replaces those that the keys were found by. */
    Map<String, Object> standingsNow(Map<RateLimitRule, String> keys) {
        Map<RateLimitRule, String> now = new LinkedHashMap<>();
        String name = keys.keySet().iterator().next().name();
        for (String key : keys.values()) {
            rules.named(name).stream()
                    .filter(rule -> isKeyOf(rule, key) && !now.containsValue(key))
                    .forEach(rule -> now.put(rule, key));
        }
        return standings(now);
    }

    private Map<String, Object> standing(RateLimitRule rule, String key) {
        Ban ban = rule.ban();
        Map<String, Object> body = RuleDescription.of(
                rule, limiters.peek(rule.limitsOf(key), key), ban == null ? null : limiters.peek(ban.bans(), key));
        String resource = RateLimitKey.resourceOf(key);
        if (resource != null) {
            body.put("resource", resource);
        }
        Change change = rules.changes().ofKeys(rule.name()).get(key);
        if (change != null) {
            boolean inForce = !rules.skipped().containsKey(new Target(rule.name(), key));
            body.put("overrides", List.of(RuleDescription.of(change, null, inForce)));
        }
        if (!rule.tiers().isEmpty()) {
            body.put("tiers", ofTiers(rule, key));
        }
        held.describe(rule, key, body);
        return body;
    }

    /** The standing in every tier: a key does not tell the tier of its requests. */
    private Map<String, Object> ofTiers(RateLimitRule rule, String key) {
        Map<String, Object> tiers = new LinkedHashMap<>();
        rule.tiers().forEach((tier, limits) -> {
            Decision standing = limiters.peek(rule.limitsOf(key, limits), key);
            tiers.put(tier, Map.of("permitted", standing.permitted(), "limits", RuleDescription.limits(standing)));
        });
        return tiers;
    }
}
