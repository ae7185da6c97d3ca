package dev.limiter.redis.script;

import dev.limiter.Rule;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Rules as the scripts see them, each worked out once. Thread-safe; bounded. */
public final class RemoteRules {

    /** Rules are values and may be made per request; what is worked out for them is then dropped now and then. */
    private static final int MAX_RULES = 10_000;

    private final Function<Rule, RemoteRule> compiler;
    private final ConcurrentHashMap<Rule, RemoteRule> rules = new ConcurrentHashMap<>();

    public RemoteRules(Function<Rule, RemoteRule> compiler) {
        this.compiler = compiler;
    }

    public RemoteRule of(Rule rule) {
        RemoteRule known = rules.get(rule);
        if (known != null) {
            return known;
        }
        if (rules.size() >= MAX_RULES) {
            rules.clear();
        }
        return rules.computeIfAbsent(rule, compiler);
    }
}
