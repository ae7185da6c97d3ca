package dev.limiter.spring.compiled;

import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spring.rule.KeyOverride;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The limits of keys that have other ones than their rule, each until its end. To the core they are rules of the same name,
 * so that a key keeps what it used. Immutable, thread-safe.
 */
public final class KeyOverrides {

    /** No key has limits of its own. */
    public static final KeyOverrides NONE = new KeyOverrides(Map.of(), () -> 0);

    private final Map<String, Own> byKey;
    private final TimeSource clock;

    /**
     * The limits of one key.
     *
     * @param said what they are made from, one for each limit that is different
     */
    public record Own(Rule rule, List<KeyOverride> said, long untilNanos) {

        public Own(Rule rule, List<KeyOverride> said, Instant until) {
            this(rule, said, nanos(until));
        }

        private static long nanos(Instant instant) {
            try {
                return Math.addExact(TimeUnit.SECONDS.toNanos(instant.getEpochSecond()), instant.getNano());
            } catch (ArithmeticException never) {
                return Long.MAX_VALUE;
            }
        }
    }

    /** {@code byKey}: not to be changed. */
    public KeyOverrides(Map<String, Own> byKey, TimeSource clock) {
        this.byKey = byKey;
        this.clock = clock;
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    /** The limits of a key; null if they are those of the rule. */
    @Nullable
    Rule of(String key) {
        Own own = byKey.get(key);
        return own == null || own.untilNanos() <= clock.epochNanos() ? null : own.rule();
    }

    /** The limits of all keys, also of those whose time is over. */
    public List<Rule> rules() {
        return byKey.values().stream().map(Own::rule).toList();
    }

    List<KeyOverride> inForce() {
        return byKey.values().stream()
                .filter(own -> own.untilNanos() > clock.epochNanos())
                .flatMap(own -> own.said().stream())
                .toList();
    }
}
