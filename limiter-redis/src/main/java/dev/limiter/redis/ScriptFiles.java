package dev.limiter.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads the texts of the scripts, which are composed of files next to this class. */
final class ScriptFiles {

    /** Read at once: scripts are also composed on threads that must not block. */
    private static final Map<String, String> FILES = read();

    private ScriptFiles() {}

    private static Map<String, String> read() {
        List<String> names = new ArrayList<>(List.of("common", "scaled"));
        for (String script : List.of("decide", "give_back")) {
            names.add(script);
            names.add(script + "/state");
            for (LuaAlgorithm algorithm : LuaAlgorithm.values()) {
                names.add(script + "/" + fileName(algorithm));
            }
        }
        return names.stream().collect(Collectors.toUnmodifiableMap(name -> name, ScriptFiles::read));
    }

    private static String fileName(LuaAlgorithm algorithm) {
        return algorithm.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the script that decides with a set of algorithms. Only these, because a server creates all functions of a
     * script for each call.
     */
    public static String decide(int algorithms) {
        return withAlgorithms(algorithms, "decide");
    }

    /** Returns the script that returns permits of a set of algorithms. */
    public static String giveBack(int algorithms) {
        return withAlgorithms(algorithms, "give_back");
    }

    /** Joins the files; the last one calls the functions of the others, which are in the folder with its name. */
    private static String withAlgorithms(int set, String last) {
        List<String> files = new ArrayList<>(List.of("common", last + "/state"));
        if ((set & (LuaAlgorithm.SLIDING_WINDOW_COUNTER.bit() | LuaAlgorithm.WARM_UP.bit())) != 0) {
            files.add("scaled");
        }
        for (LuaAlgorithm algorithm : LuaAlgorithm.of(set)) {
            files.add(last + "/" + fileName(algorithm));
        }
        files.add(last);
        StringBuilder text = new StringBuilder();
        files.forEach(file -> text.append(FILES.get(file)));
        return text.toString();
    }

    /** Reads a file by its name without the extension. */
    public static String read(String name) {
        try (InputStream resource = ScriptFiles.class.getResourceAsStream("script/" + name + ".lua")) {
            if (resource == null) {
                throw new IllegalStateException("No resource " + name + ".lua next to " + ScriptFiles.class.getName());
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
