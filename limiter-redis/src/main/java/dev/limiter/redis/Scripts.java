package dev.limiter.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The scripts, put together from the resources beside this class. A server makes functions of all that a script holds each
 * time it runs, so what a call does not need is left out.
 */
final class Scripts {

    static final Script RENEW = Script.of(stripped(read("renew")));
    static final Script INSTANCES = Script.of(stripped(read("instances")));
    static final Script GOODBYE = Script.of(stripped(read("goodbye")));
    static final Script POLICY = Script.of(stripped(read("policy")));
    static final Script PROBE = Script.of(stripped(read("probe")));

    /** Lines in the file of an algorithm, and where its parts are put. */
    private static final String ASK = "-- ask\n";

    private static final String TAKE = "-- take\n";

    /** Where the last limit of a request is decided on. */
    private static final String LAST = "-- last\n";

    private static final Scripts DECIDE_ONE = new Scripts(Scripts::composeOne);
    private static final Scripts DECIDE_SINGLE = new Scripts(set -> composeSeveral(set, List.of("last")));
    private static final Scripts DECIDE_SEVERAL = new Scripts(set -> composeSeveral(set, List.of("last", "among")));
    private static final Scripts GIVE_BACK = new Scripts(Scripts::composeGiveBack);

    private final IntFunction<String> text;

    /** By the set of algorithms, as bits. Each is always the same, so it does not matter who sets it. */
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
        Script script = Script.of(stripped(text.apply(set)));
        bySet.set(set, script);
        return script;
    }

    private static String composeOne(int set) {
        LuaAlgorithm algorithm = LuaAlgorithm.values()[Integer.numberOfTrailingZeros(set)];
        return read("decide/start") + "\n" + written(read("decide/one"), algorithm);
    }

    /** {@code functions}: which ones there are of each algorithm. */
    private static String composeSeveral(int set, List<String> functions) {
        StringBuilder text = new StringBuilder(read("decide/start")).append("\nlocal last, among = {}, {}\n");
        for (LuaAlgorithm algorithm : LuaAlgorithm.values()) {
            for (String function : functions) {
                if ((set & algorithm.bit()) != 0) {
                    text.append(written(read("decide/" + function + "_function"), algorithm)
                            .replace("NUMBER", "" + algorithm.number()));
                }
            }
        }
        return text.append(read("decide/several")).toString();
    }

    /** The two parts of an algorithm, where they belong. */
    private static String written(String template, LuaAlgorithm algorithm) {
        String file = read("decide/" + algorithm.file());
        int take = file.indexOf(TAKE);
        return template.replace(LAST, read("decide/last"))
                .replace(ASK, file.substring(0, take))
                .replace(TAKE, file.substring(take + TAKE.length()));
    }

    private static String composeGiveBack(int set) {
        StringBuilder text = new StringBuilder(read("give_back/start"));
        for (LuaAlgorithm algorithm : LuaAlgorithm.values()) {
            if ((set & algorithm.bit()) != 0) {
                text.append(read("give_back/" + algorithm.file()));
            }
        }
        return text.append(read("give_back/end")).toString();
    }

    /** Without comments and indentation: each server is sent a script once, each time it has forgotten it. */
    private static String stripped(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                .collect(Collectors.joining("\n"));
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
