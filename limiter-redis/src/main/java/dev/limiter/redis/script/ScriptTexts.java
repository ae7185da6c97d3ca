package dev.limiter.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The texts of the scripts, put together from the resources beside this class. A server makes functions of all that a script
 * holds each time it runs, so what a call does not need is left out.
 */
public final class ScriptTexts {

    /** Lines in the file of an algorithm, and where its parts are put. */
    private static final String ASK = "-- ask\n";

    private static final String TAKE = "-- take\n";

    /** Where the last limit of a request is decided on. */
    private static final String LAST = "-- last\n";

    private ScriptTexts() {}

    /** A script that is one file, by its name without extension. */
    public static String file(String name) {
        return stripped(read(name));
    }

    /** For one request with one limit, of the algorithm with that {@linkplain LuaAlgorithm#bit bit}. */
    public static String decideOne(int algorithm) {
        LuaAlgorithm only = LuaAlgorithm.values()[Integer.numberOfTrailingZeros(algorithm)];
        return stripped(read("decide/start") + "\n" + written(read("decide/one"), only));
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
        StringBuilder text = new StringBuilder(read("decide/start")).append("\nlocal last, among = {}, {}\n");
        for (LuaAlgorithm algorithm : LuaAlgorithm.values()) {
            for (String function : functions) {
                if ((set & algorithm.bit()) != 0) {
                    text.append(written(read("decide/" + function + "_function"), algorithm)
                            .replace("NUMBER", "" + algorithm.number()));
                }
            }
        }
        return stripped(text.append(read("decide/several")).toString());
    }

    /** The two parts of an algorithm, where they belong. */
    private static String written(String template, LuaAlgorithm algorithm) {
        String file = read("decide/" + algorithm.file());
        int take = file.indexOf(TAKE);
        return template.replace(LAST, read("decide/last"))
                .replace(ASK, file.substring(0, take))
                .replace(TAKE, file.substring(take + TAKE.length()));
    }

    /** For permits that are returned, with {@code set} as the bits of their algorithms. */
    public static String giveBack(int set) {
        StringBuilder text = new StringBuilder(read("give_back/start"));
        for (LuaAlgorithm algorithm : LuaAlgorithm.values()) {
            if ((set & algorithm.bit()) != 0) {
                text.append(read("give_back/" + algorithm.file()));
            }
        }
        return stripped(text.append(read("give_back/end")).toString());
    }

    /** Without comments and indentation: each server is sent a script once, each time it has forgotten it. */
    private static String stripped(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                .collect(Collectors.joining("\n"));
    }

    private static String read(String name) {
        try (InputStream resource = ScriptTexts.class.getResourceAsStream(name + ".lua")) {
            if (resource == null) {
                throw new IllegalStateException("No resource " + name + ".lua beside " + ScriptTexts.class.getName());
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
