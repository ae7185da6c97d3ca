package dev.limiter.spring.compiled;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.RuleName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The keys with other limits than their rule, their tier or their resolver gives them: an override replaces one limit,
 * until its end, and leaves the others. To the core the results are rules of the same name, so that a key keeps what it
 * used. Immutable, thread-safe.
 */
public final class KeyOverrides {

    /** No key has limits of its own. */
    public static final KeyOverrides NONE = new KeyOverrides(List.of(), Duration.ZERO, () -> 0);

    private final Map<String, List<KeyOverride>> byKey;
    private final Duration maxWait;
    private final TimeSource clock;

    /** {@code maxWait}: of requests of the rule; zero if none waits. */
    public KeyOverrides(List<KeyOverride> all, Duration maxWait, TimeSource clock) {
        this.byKey = all.stream().collect(Collectors.groupingBy(KeyOverride::key));
        this.maxWait = maxWait;
        this.clock = clock;
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    /**
     * The limits of a key with its overrides; null if none is in force.
     *
     * @param applicable the limits without overrides; null if there are none
     * @param own the limits of the rule
     */
    @Nullable
    Rule of(String key, @Nullable Rule applicable, Rule own) {
        List<KeyOverride> overrides = byKey.get(key);
        List<KeyOverride> inForce = overrides == null ? List.of() : inForce(overrides);
        return inForce.isEmpty() ? null : over(applicable, own, inForce);
    }

    /** {@code applicable} with some overrides; these alone if there are no limits. */
    public Rule over(@Nullable Rule applicable, Rule own, List<KeyOverride> overrides) {
        List<Limit> limits = new ArrayList<>();
        for (Limit limit : (applicable == null ? own : applicable).limits()) {
            KeyOverride override = of(limit, overrides);
            if (override != null) {
                limits.add(OtherPermits.of(limit, override.limit(), maxWait));
            } else if (applicable != null) {
                limits.add(limit);
            }
        }
        return Rule.of(own.name(), limits);
    }

    private static @Nullable KeyOverride of(Limit limit, List<KeyOverride> overrides) {
        String name = RuleName.canonical(limit.name());
        for (KeyOverride override : overrides) {
            if (name.equals(override.named() == null ? "" : RuleName.canonical(override.named()))) {
                return override;
            }
        }
        return null;
    }

    List<KeyOverride> inForce() {
        return byKey.values().stream().flatMap(ofKey -> inForce(ofKey).stream()).toList();
    }

    private List<KeyOverride> inForce(List<KeyOverride> overrides) {
        Instant now = Instant.EPOCH.plus(Duration.ofNanos(clock.epochNanos()));
        return overrides.stream()
                .filter(override -> override.until().isAfter(now))
                .toList();
    }
}
