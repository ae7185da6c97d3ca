package dev.limiter.spring.compiled;

import dev.limiter.OnFailure;
import java.util.Map;
import java.util.Optional;

/** The options of rules that a remote storage reads, by the exact names of the rules. Immutable. */
public record StorageTerms(Map<String, OnFailure> onFailure, Map<String, Integer> leases) {

    public StorageTerms {
        onFailure = Map.copyOf(onFailure);
        leases = Map.copyOf(leases);
    }

    Optional<OnFailure> onFailure(String rule) {
        return Optional.ofNullable(onFailure.get(rule));
    }

    int lease(String rule) {
        return leases.getOrDefault(rule, 0);
    }
}
