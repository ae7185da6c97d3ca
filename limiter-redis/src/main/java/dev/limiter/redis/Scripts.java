package dev.limiter.redis;

import java.util.concurrent.ConcurrentHashMap;

/** All scripts. Scripts with algorithms are composed on first use. Thread-safe. */
final class Scripts {

    static final Script RENEW = Script.of(ScriptFiles.read("renew"));
    static final Script RESET = Script.of(ScriptFiles.read("reset"));
    static final Script INSTANCES = Script.of(ScriptFiles.read("instances"));
    static final Script GOODBYE = Script.of(ScriptFiles.read("goodbye"));
    static final Script PROBE = Script.of(ScriptFiles.read("probe"));

    /** Keyed by the {@linkplain LuaAlgorithm#bit bits} of the algorithms. */
    private static final ConcurrentHashMap<Integer, Script> DECIDE = new ConcurrentHashMap<>();

    private static final ConcurrentHashMap<Integer, Script> GIVE_BACK = new ConcurrentHashMap<>();

    private Scripts() {}

    static Script decide(int algorithms) {
        return DECIDE.computeIfAbsent(algorithms, set -> Script.of(ScriptFiles.decide(set)));
    }

    static Script giveBack(int algorithms) {
        return GIVE_BACK.computeIfAbsent(algorithms, set -> Script.of(ScriptFiles.giveBack(set)));
    }
}
