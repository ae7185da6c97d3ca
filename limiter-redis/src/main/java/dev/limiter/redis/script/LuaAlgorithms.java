package dev.limiter.redis.script;

import dev.limiter.Limit;
import java.util.ArrayList;
import java.util.List;

/** The algorithms that the scripts of a storage consist of: the library's, and the application's own. Immutable. */
public final class LuaAlgorithms {

    /** The algorithms of the library alone. */
    public static final LuaAlgorithms LIBRARY = new LuaAlgorithms(List.of());

    private final List<LuaAlgorithm> own;
    private final List<LuaAlgorithm> all;

    public LuaAlgorithms(List<LuaAlgorithm> own) {
        this.own = List.copyOf(own);
        this.all = new ArrayList<>(LuaAlgorithm.LIBRARY);
        all.addAll(own);
    }

    /** The algorithms of a set, given by their {@linkplain LuaAlgorithm#bit bits}. */
    List<LuaAlgorithm> of(int set) {
        return all.stream().filter(algorithm -> (set & algorithm.bit()) != 0).toList();
    }

    /** All, as a set. */
    public int set() {
        return all.stream().mapToInt(LuaAlgorithm::bit).sum();
    }

    /**
     * The form of a limit for the scripts.
     *
     * @throws IllegalArgumentException if the limit cannot be counted in whole microseconds
     */
    RemoteLimit compile(Limit limit, long holdMicros, long aheadMicros) {
        for (LuaAlgorithm algorithm : own) {
            long[] terms = algorithm.terms(limit);
            if (terms != null) {
                return RemoteLimitCompiler.own(limit, algorithm, terms);
            }
        }
        return RemoteLimitCompiler.of(limit, holdMicros, aheadMicros);
    }

    /** Whether a script of the application decides a limit. */
    boolean isOwn(Limit limit) {
        return own.stream().anyMatch(algorithm -> algorithm.terms(limit) != null);
    }
}
