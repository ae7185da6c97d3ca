package dev.limiter.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The scripts, from the resources beside this class: a beginning, the algorithms that a call needs, and an end. A server
 * makes functions of all that a script holds each time it runs, so what is not needed is left out.
 */
final class Scripts {

    static final Scripts DECIDE = new Scripts("decide");
    static final Scripts GIVE_BACK = new Scripts("give_back");
    static final Script RENEW = Script.of(read("renew"));
    static final Script INSTANCES = Script.of(read("instances"));
    static final Script PROBE = Script.of(read("probe"));

    private final String folder;

    /** By the set of algorithms, as bits. Each is always the same, so it does not matter who sets it. */
    private final AtomicReferenceArray<@Nullable Script> bySet =
            new AtomicReferenceArray<>(1 << LuaAlgorithm.values().length);

    private Scripts(String folder) {
        this.folder = folder;
    }

    /** {@code set}: the {@linkplain LuaAlgorithm#bit bits} of the algorithms. */
    Script with(int set) {
        Script known = bySet.get(set);
        if (known != null) {
            return known;
        }
        Script script = compose(set);
        bySet.set(set, script);
        return script;
    }

    private Script compose(int set) {
        StringBuilder text = new StringBuilder(read(folder + "/start"));
        for (LuaAlgorithm algorithm : LuaAlgorithm.values()) {
            if ((set & algorithm.bit()) != 0) {
                text.append(read(folder + "/" + algorithm.file()));
            }
        }
        return Script.of(text.append(read(folder + "/end")).toString());
    }

    private static String read(String name) {
        try (InputStream resource = Scripts.class.getResourceAsStream(name + ".lua")) {
            if (resource == null) {
                throw new IllegalStateException("No resource " + name + ".lua beside " + Scripts.class.getName());
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
