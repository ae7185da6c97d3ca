package dev.limiter.redis;

import dev.limiter.redis.script.LuaAlgorithm;
import dev.limiter.redis.script.ScriptAssembly;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** All scripts, each put together when it is needed first. Thread-safe. */
final class Scripts {

    static final Script RENEW = Script.of(ScriptAssembly.file("renew"));
    static final Script INSTANCES = Script.of(ScriptAssembly.file("instances"));
    static final Script GOODBYE = Script.of(ScriptAssembly.file("goodbye"));
    static final Script PROBE = Script.of(ScriptAssembly.file("probe"));

    private static final BySet ONE = new BySet(ScriptAssembly::decideOne);
    private static final BySet SINGLE = new BySet(ScriptAssembly::decideSingle);
    private static final BySet SEVERAL = new BySet(ScriptAssembly::decideSeveral);
    private static final BySet GIVE_BACK = new BySet(ScriptAssembly::giveBack);

    private Scripts() {}

    /** For one request with one limit, of the algorithm with that {@linkplain LuaAlgorithm#bit bit}. */
    static Script decideOne(int algorithm) {
        return ONE.with(algorithm);
    }

    /** For requests with {@code set} as the bits of their algorithms; {@code single}: each has one limit only. */
    static Script decideSeveral(int set, boolean single) {
        return (single ? SINGLE : SEVERAL).with(set);
    }

    static Script giveBack(int set) {
        return GIVE_BACK.with(set);
    }

    private static final class BySet {

        private final IntFunction<String> text;

        /** By the set of algorithms, as bits. Each is always the same, so it does not matter which thread sets it. */
        private final AtomicReferenceArray<@Nullable Script> bySet;

        BySet(IntFunction<String> text) {
            this.text = text;
            this.bySet = new AtomicReferenceArray<>(LuaAlgorithm.ALL + 1);
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
