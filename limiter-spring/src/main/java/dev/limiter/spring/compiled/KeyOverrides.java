package dev.limiter.spring.compiled;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spring.rule.KeyOverride;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys with other limits than their rule, their tier or their resolver gives them: an override replaces one limit,
 * until its end, and leaves the others. To the core the results are rules of the same name, so that a key keeps what it
 * used. Immutable, thread-safe.
 */
public final class KeyOverrides {

    /** No key has limits of its own. */
    public static final KeyOverrides NONE = new KeyOverrides(Map.of(), List.of(), () -> 0);

    private final Map<String, OfKey> byKey;
    private final List<Limit> limits;
    private final TimeSource clock;

    /**
     * The overrides of one key.
     *
     * @param said what they are made from, one for each limit
     * @param stages by their ends: the first that has not ended is in force
     */
    public record OfKey(List<KeyOverride> said, List<Stage> stages) {}

    /**
     * The limits of one key until the next of its overrides ends.
     *
     * @param untilNanos since the epoch
     * @param instead of the rule's own limits and of those of each tier
     * @param own instead of the rule's own, and of resolved ones
     * @param alone the overrides, where no other limit applies
     */
    public record Stage(long untilNanos, Map<Rule, Rule> instead, Rule own, Rule alone) {

        public Stage(Instant until, Map<Rule, Rule> instead, Rule own, Rule alone) {
            this(nanos(until), instead, own, alone);
        }

        private static long nanos(Instant instant) {
            try {
                return Math.addExact(TimeUnit.SECONDS.toNanos(instant.getEpochSecond()), instant.getNano());
            } catch (ArithmeticException never) {
                return Long.MAX_VALUE;
            }
        }

        Rule over(@Nullable Rule applicable) {
            return applicable == null ? alone : instead.getOrDefault(applicable, own);
        }
    }

    /**
     * @param byKey not to be changed
     * @param limits all that overrides put in the place of others
     */
    public KeyOverrides(Map<String, OfKey> byKey, List<Limit> limits, TimeSource clock) {
        this.byKey = byKey;
        this.limits = limits;
        this.clock = clock;
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    /** The overrides of a key that are in force; null if there are none. */
    @Nullable
    Stage of(String key) {
        OfKey own = byKey.get(key);
        if (own == null) {
            return null;
        }
        long now = clock.epochNanos();
        for (Stage stage : own.stages()) {
            if (stage.untilNanos() > now) {
                return stage;
            }
        }
        return null;
    }

    /** The limits of all keys, also of expired overrides. */
    public Stream<Rule> rules() {
        return byKey.values().stream()
                .flatMap(own -> own.stages().stream())
                .flatMap(stage -> stage.instead().values().stream())
                .distinct();
    }

    /** The limits that overrides put in the place of others. */
    public List<Limit> limits() {
        return limits;
    }

    List<KeyOverride> inForce() {
        long now = clock.epochNanos();
        return byKey.values().stream()
                .flatMap(own -> own.said().stream())
                .filter(override -> Stage.nanos(override.until()) > now)
                .toList();
    }
}
