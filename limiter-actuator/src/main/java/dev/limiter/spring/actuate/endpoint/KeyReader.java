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

/** Finds keys and shows their state. Thread-safe; may block for as long as a decision. */
final class KeyReader {

    private static final String FORGOTTEN = "This instance has no record of a key with this hash. ";

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
     * Returns the full key for each of the given rules, which have one name.
     *
     * @param key as in {@link LimiterEndpoint#rule}
     * @param resource as in {@link LimiterEndpoint#rule}
     * @throws IllegalArgumentException if no rule can have such a key
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
     * Like {@link #find}, for a change.
     *
     * @throws IllegalArgumentException also if the key looks like a hash but matches no known or stored key
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

    /** Returns whether anything is stored for a key; also true while the storage is unavailable. */
    private boolean isStored(RateLimitRule rule, String key) {
        return rules.changes().ofKeys(rule.name()).containsKey(key)
                || rule.counted().stream()
                        .map(counted -> limiters.peek(counted, key))
                        .anyMatch(standing -> standing.onFailure().isPresent() || RuleDescription.isUsed(standing));
    }

    private static String forgotten(Map<RateLimitRule, String> keys) {
        return FORGOTTEN + "Nothing is stored for this text as a key either. Send the key itself, or the full key as"
                + " stored, such as " + keys.values().iterator().next() + ".";
    }

    /** Finds a key by its hash: one that was rejected recently, has an override, or holds permits. */
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
                        ? "All requests share one bucket of this rule: send an empty key."
                        : "The key of this rule consists of " + parts
                                + ". Send the full key as stored, or only the value if there is a single part. If each"
                                + " endpoint has its own bucket, also send the resource, such as GET /orders/{id};"
                                + " otherwise leave it out."));
    }

    /** Returns the state of the matching keys without charging them. */
    Map<String, Object> standings(List<RateLimitRule> named, @Nullable String key, @Nullable String resource) {
        Map<RateLimitRule, String> keys = find(named, key, resource);
        Map<String, Object> body = new LinkedHashMap<>(standings(keys));
        if (isForgotten(key, keys)) {
            body.put("note", forgotten(keys));
        }
        return body;
    }

    /** Returns the state of full keys without charging them. */
    Map<String, Object> standings(Map<RateLimitRule, String> keys) {
        return Map.of(
                "buckets",
                keys.entrySet().stream()
                        .map(bucket -> standing(bucket.getKey(), bucket.getValue()))
                        .toList());
    }

    /**
     * Returns the state of full keys under the current rules, which a change has replaced since the keys were found.
     */
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

    /** Returns the state in every tier, because the tier of a request is not part of its key. */
    private Map<String, Object> ofTiers(RateLimitRule rule, String key) {
        Map<String, Object> tiers = new LinkedHashMap<>();
        rule.tiers().forEach((tier, limits) -> {
            Decision standing = limiters.peek(rule.limitsOf(key, limits), key);
            tiers.put(tier, Map.of("permitted", standing.permitted(), "limits", RuleDescription.limits(standing)));
        });
        return tiers;
    }
}
