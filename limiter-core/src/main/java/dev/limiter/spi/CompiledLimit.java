package dev.limiter.spi;

import dev.limiter.Limit;

/**
 * The arithmetic of one limit. Extend {@link SingleNumberLimit} if the state of a key is one number, so that a storage can
 * swap it with a single compare-and-set; {@link SlidingWindowLimit} if each permit is forgotten at a time that is known
 * when it is taken, so that a decision can be small; and this class otherwise.
 *
 * <p>Times are epoch nanoseconds, waits are nanoseconds. Immutable.
 */
public abstract class CompiledLimit {

    /** Instead of nanoseconds to wait: the request asks for more than can ever be granted. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Instead of nanoseconds to wait: it depends on when others release what they hold. */
    public static final long UNKNOWN = Long.MAX_VALUE - 1;

    /** In place of the time at which a state is fresh again, where that depends on releases by others. */
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

    /** The most permits that one request can ever get. */
    public final long capacity() {
        return capacity;
    }

    /**
     * The most permits that can be had at one moment: fewer than the capacity if requests leave one after the other.
     */
    public long atOnce() {
        return capacity;
    }

    /**
     * Whether the arithmetic is exact at that time. When it is not (it counts from an origin that is too far away by
     * now), the storage compiles the limit anew and carries the states over. The storage
     * repeats a decision until this is true, so it has to be for some seconds before and after the time of compiling.
     */
    public boolean covers(long now) {
        return true;
    }

    /** Whether permits can be taken now for a turn that is still to come. */
    public boolean hasTurns() {
        return false;
    }

    /**
     * The longest wait for a turn, in nanoseconds, 0 or more, be it that of another limit of the rule: a request that
     * would have to wait longer is rejected until it would not.
     */
    public long longestWait() {
        return Long.MAX_VALUE;
    }

    /** A new state, without used permits. */
    public abstract LimitState newState();
}
