package dev.limiter.redis;

import dev.limiter.redis.script.LuaAlgorithm;
import dev.limiter.redis.script.ScriptTexts;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The scripts, each put together when it is needed first. Thread-safe. */
final class Scripts {

    static final Script RENEW = Script.of(ScriptTexts.file("renew"));
    static final Script INSTANCES = Script.of(ScriptTexts.file("instances"));
    static final Script GOODBYE = Script.of(ScriptTexts.file("goodbye"));
    static final Script PROBE = Script.of(ScriptTexts.file("probe"));

    private static final Scripts DECIDE_ONE = new Scripts(ScriptTexts::decideOne);
    private static final Scripts DECIDE_SINGLE = new Scripts(ScriptTexts::decideSingle);
    private static final Scripts DECIDE_SEVERAL = new Scripts(ScriptTexts::decideSeveral);
    private static final Scripts GIVE_BACK = new Scripts(ScriptTexts::giveBack);

    private final IntFunction<String> text;

    /** By the set of algorithms, as bits. Each is always the same, so it does not matter which thread sets it. */
    private final AtomicReferenceArray<@Nullable Script> bySet =
            new AtomicReferenceArray<>(1 << LuaAlgorithm.values().length);

    private Scripts(IntFunction<String> text) {
        this.text = text;
    }

    /** For one request with one limit, of the algorithm with that {@linkplain LuaAlgorithm#bit bit}. */
    static Script decideOne(int algorithm) {
        return DECIDE_ONE.with(algorithm);
    }

    /** For requests with {@code set} as the bits of their algorithms; {@code single}: each has one limit only. */
    static Script decideSeveral(int set, boolean single) {
        return (single ? DECIDE_SINGLE : DECIDE_SEVERAL).with(set);
    }

    static Script giveBack(int set) {
        return GIVE_BACK.with(set);
    }

    private Script with(int set) {
        Script known = bySet.get(set);
        if (known != null) {
            return known;
        }
        Script script = Script.of(text.apply(set));
        bySet.set(set, script);
        return script;
    }
}
