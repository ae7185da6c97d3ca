package dev.limiter.redis;

import dev.limiter.Rule;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;

/** Rules as the scripts see them, each worked out once for the share that it takes ahead. Thread-safe; bounded. */
final class RemoteRules {

    /** Rules are values and may be made per request; what is worked out for them is then dropped now and then. */
    private static final int MAX_RULES = 10_000;

    /** Works a rule out. */
    public interface Compiler {
        RemoteRule compile(Rule rule, int aheadPercent);
    }

    private final ToIntFunction<Rule> aheadPercent;
    private final Compiler compiler;
    private final ConcurrentHashMap<Rule, RemoteRule> rules = new ConcurrentHashMap<>();

    /** {@code aheadPercent}: asked each time, since it may change while the limits of a rule do not. */
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
