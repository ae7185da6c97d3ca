package dev.limiter.redis.script;

import java.util.Locale;

/** The algorithms as there are scripts of them: both buckets are one, and one that warms up is another. */
public enum LuaAlgorithm {
    BUCKET,
    FIXED_WINDOW,
    SLIDING_WINDOW_COUNTER,
    SLIDING_WINDOW_LOG,
    CONCURRENCY,
    WARM_UP;

    /** By which scripts know it. */
    byte number() {
        return (byte) (ordinal() + 1);
    }

    public int bit() {
        return 1 << ordinal();
    }

    /** The name of the file, without its extension. */
    String file() {
        return name().toLowerCase(Locale.ROOT);
    }
}
