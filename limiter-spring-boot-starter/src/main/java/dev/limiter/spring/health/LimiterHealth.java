package dev.limiter.spring.health;

import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.spring.operate.LiveRules;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of the storage and of changed rules. While a remote storage fails, the status is unknown and not down: the
 * application goes on as its rules say, and must not be taken out of service for it. Rules that cannot be taken over leave
 * it up: the last ones are in force.
 */
public final class LimiterHealth {

    private final @Nullable FailoverRateLimiterStorage storage;
    private final @Nullable LiveRules rules;

    /**
     * @param storage null if it is not a remote one
     * @param rules null if they do not change
     */
    public LimiterHealth(@Nullable FailoverRateLimiterStorage storage, @Nullable LiveRules rules) {
        this.storage = storage;
        this.rules = rules;
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
            rules.problem().ifPresent(problem -> details.put("problem", problem));
            Set<String> gone = rules.changesOfNoRule().names();
            if (!gone.isEmpty()) {
                details.put("changesOfNoRule", gone);
            }
        }
        return details;
    }
}
