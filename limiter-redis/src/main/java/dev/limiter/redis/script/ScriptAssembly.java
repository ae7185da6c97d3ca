package dev.limiter.redis.script;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The texts of the scripts, put together from the resources beside this class and the {@linkplain ScriptParts parts} of
 * each algorithm. A server makes functions of all that a script holds each time it runs, so what a call does not need
 * is left out. Immutable.
 */
public final class ScriptAssembly {

    /** The lines of a template where the parts of an algorithm are put. */
    private static final String ASK = "-- ask\n";

    private static final String TAKE = "-- take\n";

    /** Where the last limit of a request is decided on. */
    private static final String LAST = "-- last\n";

    private ScriptAssembly() {}

    /** A script that is one file, by its name without extension. */
    public static String file(String name) {
        return stripped(ScriptParts.read(name));
    }

    /** For one request with one limit, of the algorithm with that {@linkplain LuaAlgorithm#bit bit}. */
    public static String decideOne(int algorithm) {
        LuaAlgorithm only = LuaAlgorithm.of(algorithm).get(0);
        return stripped(ScriptParts.read("decide/start") + "\n" + written(ScriptParts.read("decide/one"), only));
    }

    /** For requests that have one limit each, with {@code set} as the bits of their algorithms. */
    public static String decideSingle(int set) {
        return decideSeveral(set, List.of("last"));
    }

    /** For requests with {@code set} as the bits of their algorithms. */
    public static String decideSeveral(int set) {
        return decideSeveral(set, List.of("last", "among"));
    }

    /** {@code functions}: which ones there are of each algorithm. */
    private static String decideSeveral(int set, List<String> functions) {
        StringBuilder text =
                new StringBuilder(ScriptParts.read("decide/start")).append("\nlocal last, among = {}, {}\n");
        for (LuaAlgorithm algorithm : LuaAlgorithm.of(set)) {
            for (String function : functions) {
                text.append(written(
                        ScriptParts.read("decide/" + function + "_function").replace("NUMBER", "" + algorithm.number()),
                        algorithm));
            }
        }
        return stripped(text.append(ScriptParts.read("decide/several")).toString());
    }

    /** The two parts of an algorithm, where they belong. */
    private static String written(String template, LuaAlgorithm algorithm) {
        return template.replace(LAST, ScriptParts.read("decide/last"))
                .replace(ASK, ScriptParts.of(algorithm).ask())
                .replace(TAKE, ScriptParts.of(algorithm).take());
    }

    /** For permits that are returned, with {@code set} as the bits of their algorithms. */
    public static String giveBack(int set) {
        StringBuilder text = new StringBuilder(ScriptParts.read("give_back/start"));
        for (LuaAlgorithm algorithm : LuaAlgorithm.of(set)) {
            text.append(ScriptParts.of(algorithm).giveBack());
        }
        return stripped(text.append(ScriptParts.read("give_back/end")).toString());
    }

    /** Without comments and indentation: each server is sent a script once, each time it has forgotten it. */
    private static String stripped(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                .collect(Collectors.joining("\n"));
    }
}
