package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.decide.HeldPermit;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.key.KeyHash;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lists the requests and calls on this instance that hold concurrency permits. Thread-safe. */
final class HeldPermitReader {

    private static final int MOST_SHOWN = 20;

    private final PermitHolders holders;
    private final KeyHash hash;

    HeldPermitReader(PermitHolders holders, KeyHash hash) {
        this.holders = holders;
        this.hash = hash;
    }

    /**
     * Adds the permit holders of a rule with a concurrency limit.
     *
     * @param key null for all keys
     */
    void describe(RateLimitRule rule, @Nullable String key, Map<String, Object> body) {
        if (rule.limitsConcurrency()) {
            body.put("held", held(holders.of(rule.name(), key), key == null));
        }
    }

    private Map<String, Object> held(List<HeldPermit> permits, boolean ofAllKeys) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("permits", permits.stream().mapToLong(HeldPermit::permits).sum());
        body.put("requests", permits.size());
        body.put(
                "oldest",
                permits.stream()
                        .limit(MOST_SHOWN)
                        .map(permit -> holder(permit, ofAllKeys))
                        .toList());
        return body;
    }

    private Map<String, Object> holder(HeldPermit permit, boolean ofAllKeys) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("since", permit.since().toString());
        body.put("heldFor", holders.age(permit).toString());
        body.put("resource", permit.resource());
        body.put("thread", permit.thread());
        body.put("permits", permit.permits());
        if (ofAllKeys) {
            body.put("keyHash", hash.of(permit.key()));
        }
        return body;
    }

    /** Finds a key by its hash among the keys that hold permits. */
    Optional<String> find(String rule, String keyHash) {
        return holders.of(rule, null).stream()
                .map(HeldPermit::key)
                .distinct()
                .filter(key -> hash.of(key).equals(keyHash))
                .findFirst();
    }
}
