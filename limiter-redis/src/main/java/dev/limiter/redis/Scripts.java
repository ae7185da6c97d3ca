package dev.limiter.redis;

import dev.limiter.Algorithm;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.redis.script.LuaAlgorithm;
import dev.limiter.redis.script.LuaAlgorithms;
import dev.limiter.redis.script.ScriptAssembly;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The scripts of a storage, each put together when it is needed first. Thread-safe. */
final class Scripts {

    static final Script RENEW = Script.of(ScriptAssembly.file("renew"));
    static final Script INSTANCES = Script.of(ScriptAssembly.file("instances"));
    static final Script GOODBYE = Script.of(ScriptAssembly.file("goodbye"));
    static final Script PROBE = Script.of(ScriptAssembly.file("probe"));

    /** The scripts of the library's algorithms. */
    static final Scripts LIBRARY = new Scripts(LuaAlgorithms.LIBRARY);

    private final LuaAlgorithms algorithms;
    private final BySet one;
    private final BySet single;
    private final BySet several;
    private final BySet giveBack;

    private Scripts(LuaAlgorithms algorithms) {
        this.algorithms = algorithms;
        ScriptAssembly texts = new ScriptAssembly(algorithms);
        int sets = Integer.highestOneBit(algorithms.set()) << 1;
        this.one = new BySet(texts::decideOne, sets);
        this.single = new BySet(texts::decideSingle, sets);
        this.several = new BySet(texts::decideSeveral, sets);
        this.giveBack = new BySet(texts::giveBack, sets);
    }

    /**
     * Those of the library's algorithms, and of what the application brings as a {@link RedisStrategy}.
     *
     * @throws IllegalArgumentException if a strategy is neither the library's nor a {@link RedisStrategy}, or its
     *     script lacks a part
     */
    static Scripts of(RateLimiterFactory strategies) {
        LuaAlgorithms algorithms = algorithms(strategies);
        return algorithms == LuaAlgorithms.LIBRARY ? LIBRARY : new Scripts(algorithms);
    }

    private static LuaAlgorithms algorithms(RateLimiterFactory strategies) {
        List<LuaAlgorithm> own = new ArrayList<>();
        for (Algorithm algorithm : Algorithm.values()) {
            if (strategies.supports(algorithm)) {
                RateLimiterStrategy strategy = strategies.strategy(algorithm);
                if (strategy instanceof RedisStrategy scripted) {
                    own.add(own(scripted));
                } else if (!strategy.getClass().getPackageName().equals("dev.limiter.algorithm")) {
                    throw new IllegalArgumentException(strategy.getClass().getName()
                            + " is the application's own strategy for " + algorithm
                            + ", which cannot run in Redis without a script. Make it a "
                            + RedisStrategy.class.getSimpleName() + ", remove it, or use storage: memory.");
                }
            }
        }
        return own.isEmpty() ? LuaAlgorithms.LIBRARY : new LuaAlgorithms(own);
    }

    private static LuaAlgorithm own(RedisStrategy strategy) {
        try {
            return LuaAlgorithm.own(strategy.algorithm(), strategy.script(), strategy::terms);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(strategy.getClass().getName() + ": " + e.getMessage(), e);
        }
    }

    LuaAlgorithms algorithms() {
        return algorithms;
    }

    /** For one request with one limit, of the algorithm with that {@linkplain LuaAlgorithm#bit bit}. */
    Script decideOne(int algorithm) {
        return one.with(algorithm);
    }

    /** For requests with {@code set} as the bits of their algorithms; {@code single}: each has one limit only. */
    Script decideSeveral(int set, boolean single) {
        return (single ? this.single : several).with(set);
    }

    Script giveBack(int set) {
        return giveBack.with(set);
    }

    private static final class BySet {

        private final IntFunction<String> text;

        /** By the set of algorithms, as bits. Each is always the same, so it does not matter which thread sets it. */
        private final AtomicReferenceArray<@Nullable Script> bySet;

        BySet(IntFunction<String> text, int sets) {
            this.text = text;
            this.bySet = new AtomicReferenceArray<>(sets);
        }

        Script with(int set) {
            Script known = bySet.get(set);
            if (known != null) {
                return known;
            }
            Script script = Script.of(text.apply(set));
            bySet.set(set, script);
            return script;
        }
    }
}
