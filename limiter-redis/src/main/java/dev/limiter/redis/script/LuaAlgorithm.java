package dev.limiter.redis.script;

import java.util.Locale;

/** The algorithms as there are scripts of them: both buckets are one, and one that warms up is another. */
public enum LuaAlgorithm {
    BUCKET(true, false),
    FIXED_WINDOW(true, true),
    SLIDING_WINDOW_COUNTER(true, false),
    SLIDING_WINDOW_LOG(true, false),
    CONCURRENCY(false, false),
    WARM_UP(false, false);

    private final boolean shareable;
    private final boolean windowed;

    LuaAlgorithm(boolean shareable, boolean windowed) {
        this.shareable = shareable;
        this.windowed = windowed;
    }

    /** Whether callers may share what one call takes: not where only one may go at a time, or holds it. */
    boolean isShareable() {
        return shareable;
    }

    /** Whether permits belong to a window, and would be too many in the next one. */
    public boolean isWindowed() {
        return windowed;
    }

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
