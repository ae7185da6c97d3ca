package dev.limiter.redis;

import java.util.Arrays;
import java.util.List;

/** The algorithms of the scripts: token and leaky buckets are one, and a bucket with a warm-up is another. */
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

    /** Returns whether callers may share the permits of one call: not if permits are held or spaced evenly. */
    boolean isShareable() {
        return shareable;
    }

    /** Returns the number of the algorithm in scripts and states. */
    byte number() {
        return (byte) (ordinal() + 1);
    }

    /** Returns the bit of the algorithm in a set of algorithms. */
    public int bit() {
        return 1 << ordinal();
    }

    /** Returns the algorithms of a set. */
    static List<LuaAlgorithm> of(int set) {
        return Arrays.stream(values())
                .filter(algorithm -> (set & algorithm.bit()) != 0)
                .toList();
    }
}
