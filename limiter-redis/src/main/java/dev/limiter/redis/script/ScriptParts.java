package dev.limiter.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

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

    private static final String GIVE_BACK = "-- give back\n";

    /** The line of a file around an own script where its part is put. */
    private static final String OWN = "-- own\n";

    /** The parts in the files of that name beside this class, in {@code decide} and {@code give_back}. */
    static ScriptParts ofLibrary(String file) {
        String decide = read("decide/" + file);
        return new ScriptParts(before(decide, TAKE), after(decide, TAKE), read("give_back/" + file));
    }

    /** The parts of a script of the application, between the library's reading and writing of its states. */
    static ScriptParts ofApplication(String text, int number) {
        String script = text.replace("\r\n", "\n") + "\n";
        String rest = after(script, TAKE);
        return new ScriptParts(
                around("decide/own_ask", before(script, TAKE), number),
                around("decide/own_take", before(rest, GIVE_BACK), number),
                around("give_back/own", after(rest, GIVE_BACK), number));
    }

    private static String around(String file, String part, int number) {
        return read(file).replace("NUMBER", "" + number).replace(OWN, part);
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
            throw new IllegalArgumentException(
                    "The script has no line \"" + line.strip() + "\"; its parts are what comes"
                            + " before \"-- take\", what comes before \"-- give back\" after it, and the rest");
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
