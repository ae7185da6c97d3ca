package dev.limiter.memory;

import dev.limiter.Rule;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Rules and what was compiled for them. Rules are values and may be made for each request: what is compiled is dropped
 * when there are too many. Thread-safe.
 */
final class RuleCache {

    private static final int MAX_RULES = 10_000;
    private static final int RECENT = 1024;

    /** Rules whose hashes collide stand next to each other. */
    private static final int NEIGHBOURS = 4;

    private final ConcurrentHashMap<Rule, BoundRule> rules = new ConcurrentHashMap<>();

    /**
     * A cache in front of the map, by hash: spares a decision two dependent loads. Entries are immutable, races benign.
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

    /** Compiles a rule anew whose arithmetic does not reach the time. */
    void renew(BoundRule old) {
        BoundRule bound = compiler.apply(old.rule);
        rules.replace(old.rule, old, bound);
        remember(bound, old);
    }

    /** Puts a rule in the place of the old one, in a free place, or in a random one: unused rules must not stay. */
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
