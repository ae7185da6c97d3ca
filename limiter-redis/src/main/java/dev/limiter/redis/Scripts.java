package dev.limiter.redis;

import dev.limiter.redis.script.LuaAlgorithms;
import dev.limiter.redis.script.ScriptTexts;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The scripts of a storage, each put together when it is needed first. Thread-safe. */
final class Scripts {

    static final Script RENEW = Script.of(ScriptTexts.file("renew"));
    static final Script INSTANCES = Script.of(ScriptTexts.file("instances"));
    static final Script GOODBYE = Script.of(ScriptTexts.file("goodbye"));
    static final Script PROBE = Script.of(ScriptTexts.file("probe"));

    /** Those of the library's algorithms. */
    static final Scripts LIBRARY = new Scripts(LuaAlgorithms.LIBRARY);

    private final BySet one;
    private final BySet single;
    private final BySet several;
    private final BySet giveBack;

    private Scripts(LuaAlgorithms algorithms) {
        ScriptTexts texts = new ScriptTexts(algorithms);
        int sets = Integer.highestOneBit(algorithms.set()) << 1;
        this.one = new BySet(texts::decideOne, sets);
        this.single = new BySet(texts::decideSingle, sets);
        this.several = new BySet(texts::decideSeveral, sets);
        this.giveBack = new BySet(texts::giveBack, sets);
    }

    static Scripts of(LuaAlgorithms algorithms) {
        return algorithms == LuaAlgorithms.LIBRARY ? LIBRARY : new Scripts(algorithms);
    }

    /** For one request with one limit, of the algorithm with that {@linkplain dev.limiter.redis.script.LuaAlgorithm#bit bit}. */
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
