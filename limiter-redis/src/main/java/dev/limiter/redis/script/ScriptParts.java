package dev.limiter.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The parts of an algorithm in the texts of scripts.
 *
 * @param ask reads a state, and computes the permits left
 * @param take takes permits, and writes the state
 * @param giveBack the function that returns permits
 */
record ScriptParts(String ask, String take, String giveBack) {

    /** The lines of a file before which a part ends. */
    private static final String TAKE = "-- take\n";

    /** The parts in the files of that name beside this class, in {@code decide} and {@code give_back}. */
    static ScriptParts of(LuaAlgorithm algorithm) {
        String file = algorithm.name().toLowerCase(Locale.ROOT);
        String decide = read("decide/" + file);
        return new ScriptParts(before(decide, TAKE), after(decide, TAKE), read("give_back/" + file));
    }

    private static String before(String text, String line) {
        return text.substring(0, start(text, line));
    }

    private static String after(String text, String line) {
        return text.substring(start(text, line) + line.length());
    }

    private static int start(String text, String line) {
        int start = ("\n" + text).indexOf("\n" + line);
        if (start < 0) {
            throw new IllegalStateException("No line " + line + " in a script");
        }
        return start;
    }

    /** A resource beside this class, by its name without extension. */
    static String read(String name) {
        try (InputStream resource = ScriptParts.class.getResourceAsStream(name + ".lua")) {
            if (resource == null) {
                throw new IllegalStateException("No resource " + name + ".lua beside " + ScriptParts.class.getName());
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
