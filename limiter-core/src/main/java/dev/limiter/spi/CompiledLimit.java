package dev.limiter.spi;

import dev.limiter.Limit;

/**
 * The arithmetic of one limit. Extend {@link SingleNumberLimit} if the state of a key is one number, which storages can
 * update with a single compare-and-set. Extend {@link SlidingWindowLimit} if the expiry of a permit is known when it is
 * taken, which keeps decisions small. Extend this class otherwise.
 *
 * <p>Times are epoch nanoseconds, waits are nanoseconds. Immutable and thread-safe.
 */
public abstract class CompiledLimit {

    /** A wait that never ends: the request needs more permits than can ever be granted. */
    public static final long NEVER = Long.MAX_VALUE;

    /** A wait of unknown length, because it depends on when others release their permits. */
    public static final long UNKNOWN = Long.MAX_VALUE - 1;

    /** The {@code freshAt} time of a state that becomes fresh only when others release their permits. */
    public static final long NOT_BY_TIME = Long.MAX_VALUE;

    private final Limit limit;
    private final long capacity;

    protected CompiledLimit(Limit limit) {
        this.limit = limit;
        this.capacity = limit.capacity();
    }

    public final Limit limit() {
        return limit;
    }

    /** Returns the most permits that one request can ever get. */
    public final long capacity() {
        return capacity;
    }

    /**
     * Returns the most permits that can be taken at one moment. Less than the capacity if requests are spaced evenly.
     */
    public long atOnce() {
        return capacity;
    }

    /**
     * Returns whether the arithmetic is exact at {@code now}. If not (its origin is too long ago), the storage compiles
     * the limit again, carries the states over and retries the decision. So the result must be true for some seconds
     * around the time of compiling.
     */
    public boolean covers(long now) {
        return true;
    }

    /** Returns whether permits can be taken now for a later turn. */
    public boolean hasTurns() {
        return false;
    }

    /**
     * Returns the longest wait for a turn in nanoseconds, 0 or more, including waits caused by other limits of the
     * rule. Requests with a longer wait are rejected.
     */
    public long longestWait() {
        return Long.MAX_VALUE;
    }

    /** Creates a state without used permits. */
    public abstract LimitState newState();
}
