package dev.limiter.redis;

import java.util.Arrays;
import java.util.List;

/** The algorithms that scripts know: both buckets are one, and a bucket that warms up is another. */
enum LuaAlgorithm {
    BUCKET(true),
    FIXED_WINDOW(true),
    SLIDING_WINDOW_COUNTER(true),
    SLIDING_WINDOW_LOG(true),
    CONCURRENCY(false),
    WARM_UP(false);

    /** All algorithms, as a set. */
    public static final int ALL = (1 << values().length) - 1;

    private final boolean shareable;

    LuaAlgorithm(boolean shareable) {
        this.shareable = shareable;
    }

    /** Whether callers may share the permits that one call takes: not if permits are held, or spaced. */
    boolean isShareable() {
        return shareable;
    }

    /** The number of the algorithm in scripts and states. */
    byte number() {
        return (byte) (ordinal() + 1);
    }

    /** The bit of the algorithm in a set of algorithms. */
    public int bit() {
        return 1 << ordinal();
    }

    /** The algorithms of a set. */
    static List<LuaAlgorithm> of(int set) {
        return Arrays.stream(values())
                .filter(algorithm -> (set & algorithm.bit()) != 0)
                .toList();
    }
}
