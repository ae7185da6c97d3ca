package dev.limiter.spring.actuate.health;

import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.resolve.LimitResolvers;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of the storage and of changed rules. While a remote storage fails, the status is unknown and not down: the
 * application goes on as its rules say, and must not be taken out of service for it. Rules that cannot be taken over
 * leave it up: the last ones are in force.
 */
public final class LimiterHealth {

    private final @Nullable FailoverRateLimiterStorage storage;
    private final @Nullable LiveRules rules;
    private final @Nullable String rulesFile;
    private final LimitResolvers resolvers;

    /**
     * @param storage null if it is not a remote one
     * @param rules null if they do not change
     * @param rulesFile the path of a file with some of them; null if there is none
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
            details.put(
                    storage.name(), storage.isAvailable() ? "decides" : "does not decide; rules do as on-failure says");
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
