package dev.limiter.spi;

import dev.limiter.Limit;

/**
 * A limit whose state is one number, so that a decision is: read the number, read the clock, compute the next
 * number, compare and set. All methods are pure functions: they never block, and take epoch nanoseconds and
 * permits of 0 or more.
 */
public abstract class SingleNumberLimit extends CompiledLimit {

    /** Instead of a next number. No state ever has this value. */
    public static final long REJECTED = Long.MIN_VALUE;

    /**
     * Instead of the state right after permits were taken: none of this limit were, or they are no longer to be
     * returned.
     */
    public static final long NOTHING = -(1L << 62);

    protected SingleNumberLimit(Limit limit) {
        super(limit);
    }

    /** The state without used permits. */
    public abstract long fresh();

    /** The state after taking permits, or {@link #REJECTED}. */
    public abstract long take(long value, long now, long permits);

    /**
     * The state to continue from when the clock has stepped back far; the same state otherwise.
     *
     * @param longestWait the longest wait that was ever granted to a request of this key or carried over from another
     *     limit, in nanoseconds, 0 or more: the state may lie so far ahead without a step of the clock
     */
    public long settle(long value, long now, long longestWait) {
        return value;
    }

    /**
     * 0 if so many permits could be taken now, else nanoseconds until then, or NEVER or UNKNOWN of {@link CompiledLimit}.
     */
    public abstract long waitNanos(long value, long now, long permits);

    /**
     * 0 if so many permits could be taken now by a request that waits for its turn for up to {@code maxWait}
     * nanoseconds, else nanoseconds until then, or NEVER or UNKNOWN of {@link CompiledLimit}.
     */
    public long admissionNanos(long value, long now, long permits, long maxWait) {
        long wait = waitNanos(value, now, permits);
        return hasTurns() && wait < CompiledLimit.UNKNOWN ? Math.max(wait - maxWait, 0) : wait;
    }

    /**
     * The state after taking permits for a turn in {@code wait} nanoseconds or, if that cannot be before, later; {@link
     * #REJECTED} if there is no such turn. Limits that have no turns count the permits now.
     */
    public long reserve(long value, long now, long wait, long permits) {
        return take(value, now, permits);
    }

    /** The permits that could be taken now. */
    public abstract long remaining(long value, long now);

    /**
     * The time at which the state equals a new one, in epoch nanoseconds; in the past if it does; or
     * {@link #NOT_BY_TIME}.
     */
    public abstract long freshAt(long value);

    /** The state after returning permits, as far as they still count. */
    public abstract long giveBack(long value, TakenPermits taken, long now);

    /** The state with as many used permits of this limit as {@code state} has of {@code previous}. */
    public long carry(CompiledLimit previous, LimitState state, long now) {
        long used = Math.min(previous.atOnce() - state.remaining(now), capacity());
        return used == 0 ? fresh() : take(fresh(), now, used);
    }

    @Override
    public final NumberState newState() {
        return new NumberState(this, fresh());
    }
}
