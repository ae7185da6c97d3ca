package dev.limiter.redis.script;

import dev.limiter.Limit;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An algorithm as there are scripts of it. Of the library's, both buckets are one, and one that warms up is another;
 * one of the application's own stands beside them, in place of the library's for the limits that it takes. Immutable.
 */
public final class LuaAlgorithm {

    public static final LuaAlgorithm BUCKET = library(1, "bucket", true, false);
    public static final LuaAlgorithm FIXED_WINDOW = library(2, "fixed_window", true, true);
    public static final LuaAlgorithm SLIDING_WINDOW_COUNTER = library(3, "sliding_window_counter", true, false);
    public static final LuaAlgorithm SLIDING_WINDOW_LOG = library(4, "sliding_window_log", true, false);
    public static final LuaAlgorithm CONCURRENCY = library(5, "concurrency", false, false);
    public static final LuaAlgorithm WARM_UP = library(6, "warm_up", false, false);

    static final List<LuaAlgorithm> LIBRARY =
            List.of(BUCKET, FIXED_WINDOW, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG, CONCURRENCY, WARM_UP);

    /**
     * Where the numbers of the applications' own begin, of which there is one for each {@link dev.limiter.Algorithm}.
     */
    private static final int OWN = 64;

    private final int number;
    private final int bit;
    private final ScriptParts parts;
    private final boolean shareable;
    private final boolean windowed;
    private final Function<Limit, long @Nullable []> terms;

    private LuaAlgorithm(
            int number,
            int bit,
            ScriptParts parts,
            boolean shareable,
            boolean windowed,
            Function<Limit, long @Nullable []> terms) {
        this.number = number;
        this.bit = bit;
        this.parts = parts;
        this.shareable = shareable;
        this.windowed = windowed;
        this.terms = terms;
    }

    private static LuaAlgorithm library(int number, String file, boolean shareable, boolean windowed) {
        return new LuaAlgorithm(
                number, 1 << (number - 1), ScriptParts.ofLibrary(file), shareable, windowed, limit -> null);
    }

    /**
     * The application's own in place of the library's.
     *
     * @param terms the numbers given to its script for a limit; null if the library's script decides
     * @throws IllegalArgumentException if the script lacks a part
     */
    public static LuaAlgorithm own(
            dev.limiter.Algorithm algorithm, String script, Function<Limit, long @Nullable []> terms) {
        int number = OWN + algorithm.ordinal();
        int bit = 1 << (LIBRARY.size() + algorithm.ordinal());
        Function<Limit, long @Nullable []> ofItsKind =
                limit -> limit.algorithm() == algorithm ? terms.apply(limit) : null;
        return new LuaAlgorithm(number, bit, ScriptParts.ofApplication(script, number), false, false, ofItsKind);
    }

    /** The numbers given to an own script for a limit; null if it does not decide it. */
    long @Nullable [] terms(Limit limit) {
        return terms.apply(limit);
    }

    /** Whether callers may share what one call takes: not where only one may go at a time, or holds it. */
    boolean isShareable() {
        return shareable;
    }

    /** Whether permits belong to a window, and would be too many in the next one. */
    public boolean isWindowed() {
        return windowed;
    }

    /** The number of the algorithm in scripts and states. */
    byte number() {
        return (byte) number;
    }

    boolean isOwn() {
        return number >= OWN;
    }

    /** Its place in a set of algorithms. */
    public int bit() {
        return bit;
    }

    ScriptParts parts() {
        return parts;
    }
}
