package dev.limiter.memory;

import dev.limiter.Rule;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Caches compiled rules. Rules are values and may be created per request, so the cache is cleared when it grows too
 * large. Thread-safe.
 */
final class RuleCache {

    private static final int MAX_RULES = 10_000;
    private static final int RECENT = 1024;

    /** How many rules with colliding hashes are kept in adjacent entries. */
    private static final int NEIGHBOURS = 4;

    private final ConcurrentHashMap<Rule, BoundRule> rules = new ConcurrentHashMap<>();

    /**
     * A cache in front of the map, indexed by hash; saves a decision two dependent loads. Entries are immutable, so
     * races are benign.
     */
    private final @Nullable BoundRule[] recent = new BoundRule[RECENT];

    private final Function<Rule, BoundRule> compiler;

    RuleCache(Function<Rule, BoundRule> compiler) {
        this.compiler = compiler;
    }

    BoundRule get(Rule rule) {
        int place = rule.hashCode() & RECENT - 1;
        BoundRule first = recent[place];
        return first != null && first.rule.equals(rule) ? first : find(rule, place);
    }

    private BoundRule find(Rule rule, int place) {
        for (int i = 1; i < NEIGHBOURS; i++) {
            BoundRule next = recent[place + i & RECENT - 1];
            if (next != null && next.rule.equals(rule)) {
                return next;
            }
        }
        BoundRule bound = rules.get(rule);
        return bound != null ? bound : add(rule);
    }

    private BoundRule add(Rule rule) {
        if (rules.mappingCount() >= MAX_RULES) {
            rules.clear();
            Arrays.fill(recent, null);
        }
        BoundRule bound = rules.computeIfAbsent(rule, compiler);
        remember(bound, null);
        return bound;
    }

    /** Compiles a rule again that no longer covers the time. */
    void renew(BoundRule old) {
        BoundRule bound = compiler.apply(old.rule);
        rules.replace(old.rule, old, bound);
        remember(bound, old);
    }

    /** Replaces the old entry, fills a free one, or overwrites a random one, so that unused rules do not stay. */
    private void remember(BoundRule bound, @Nullable BoundRule old) {
        int place = bound.rule.hashCode();
        for (int i = 0; i < NEIGHBOURS; i++) {
            BoundRule present = recent[place + i & RECENT - 1];
            if (present == old || present == null) {
                recent[place + i & RECENT - 1] = bound;
                return;
            }
        }
        recent[place + (place >>> 16) % NEIGHBOURS & RECENT - 1] = bound;
    }
}
