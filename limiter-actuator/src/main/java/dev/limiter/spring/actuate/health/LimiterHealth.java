package dev.limiter.spring.actuate.health;

import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.resolve.LimitResolvers;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reports the state of the storage and of changed rules. While Redis is unavailable the status is UNKNOWN rather than
 * DOWN: the application still serves requests and must stay in service. Rules that cannot be applied leave the status
 * UP, because the previous rules stay in force.
 */
public final class LimiterHealth {

    private final @Nullable FailoverRateLimiterStorage storage;
    private final @Nullable LiveRules rules;
    private final @Nullable String rulesFile;
    private final LimitResolvers resolvers;

    /**
     * @param storage null unless limits are in Redis
     * @param rules null if rules cannot change
     * @param rulesFile the path of the rules file; null if there is none
     */
    public LimiterHealth(
            @Nullable FailoverRateLimiterStorage storage,
            @Nullable LiveRules rules,
            @Nullable String rulesFile,
            LimitResolvers resolvers) {
        this.storage = storage;
        this.rules = rules;
        this.rulesFile = rulesFile;
        this.resolvers = resolvers;
    }

    boolean isUp() {
        return storage == null || storage.isAvailable();
    }

    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        if (storage != null) {
            details.put("storage", storage.name());
            details.put(storage.name(), storage.isAvailable() ? "available" : "unavailable; rules use on-failure");
            details.put("instances", storage.instances());
        }
        if (rules != null) {
            addTo(details, rules);
        }
        Map<String, String> failing = resolvers.failing();
        if (!failing.isEmpty()) {
            details.put("limitResolvers", failing);
        }
        return details;
    }

    private void addTo(Map<String, Object> details, LiveRules live) {
        details.put("version", live.version());
        details.put("changesKeptIn", live.changesKeptIn());
        if (rulesFile != null) {
            details.put("rulesFile", rulesFile);
        }
        live.trouble().ifPresent(trouble -> {
            details.put("problem", trouble.reason());
            details.put("problemSince", trouble.since().toString());
        });
    }
}
