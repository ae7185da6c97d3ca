package dev.limiter.redis;

import dev.limiter.Rule;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;

/** Caches compiled rules, each for one lease percentage. Thread-safe and bounded. */
final class RemoteRules {

    /** Rules are values and may be created per request, so the cache is cleared when it grows too large. */
    private static final int MAX_RULES = 10_000;

    /** Compiles a rule. */
    public interface Compiler {
        RemoteRule compile(Rule rule, int aheadPercent);
    }

    private final ToIntFunction<Rule> aheadPercent;
    private final Compiler compiler;
    private final ConcurrentHashMap<Rule, RemoteRule> rules = new ConcurrentHashMap<>();

    /**
     * Creates a cache; {@code aheadPercent} is called each time, because it may change while the limits of a rule do
     * not.
     */
    public RemoteRules(ToIntFunction<Rule> aheadPercent, Compiler compiler) {
        this.aheadPercent = aheadPercent;
        this.compiler = compiler;
    }

    public RemoteRule of(Rule rule) {
        int percent = aheadPercent.applyAsInt(rule);
        RemoteRule known = rules.get(rule);
        if (known != null && known.aheadPercent == percent) {
            return known;
        }
        if (rules.size() >= MAX_RULES) {
            rules.clear();
        }
        RemoteRule made = compiler.compile(rule, percent);
        rules.put(rule, made);
        return made;
    }
}
