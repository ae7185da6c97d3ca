package dev.limiter.spi;

import dev.limiter.Limit;

/**
 * A limit with a single number as its state. A decision reads the number and the clock, computes the next number, and applies
 * it with a compare-and-set. All methods are pure functions that never block. Times are epoch nanoseconds; permits are
 * 0 or more.
 */
public abstract class SingleNumberLimit extends CompiledLimit {

    /** Returned instead of a next number if the request is rejected. Never the value of a state. */
    public static final long REJECTED = Long.MIN_VALUE;

    /** Returned instead of a mark if no permits of this limit were taken, or they cannot be returned. */
    public static final long NOTHING = -(1L << 62);

    protected SingleNumberLimit(Limit limit) {
        super(limit);
    }

    /** Returns the state without used permits. */
    public abstract long fresh();

    /** Returns the state after taking permits, or {@link #REJECTED}. */
    public abstract long take(long value, long now, long permits);

    /**
     * Returns the state to continue from after the clock stepped far back; the same state otherwise.
     *
     * @param longestWait the longest wait in nanoseconds, 0 or more, that was granted to this key or carried over from
     *     another limit: the state may be that far ahead without a step of the clock
     */
    public long settle(long value, long now, long longestWait) {
        return value;
    }

    /**
     * Returns 0 if {@code permits} could be taken now; otherwise nanoseconds until then, or NEVER or UNKNOWN of {@link
     * CompiledLimit}.
     */
    public abstract long waitNanos(long value, long now, long permits);

    /**
     * Returns 0 if a request that waits up to {@code maxWait} nanoseconds could take {@code permits} now; otherwise
     * nanoseconds until then, or NEVER or UNKNOWN of {@link CompiledLimit}.
     */
    public long admissionNanos(long value, long now, long permits, long maxWait) {
        long wait = waitNanos(value, now, permits);
        return hasTurns() && wait < CompiledLimit.UNKNOWN ? Math.max(wait - maxWait, 0) : wait;
    }

    /**
     * Returns the state after taking permits for the first turn in {@code wait} nanoseconds or later, or {@link
     * #REJECTED} if there is none. Limits without turns take the permits now.
     */
    public long reserve(long value, long now, long wait, long permits) {
        return take(value, now, permits);
    }

    /** Returns the permits that could be taken now. */
    public abstract long remaining(long value, long now);

    /**
     * Returns the epoch nanoseconds at which the state equals a new one (in the past if it does already), or {@link
     * #NOT_BY_TIME}.
     */
    public abstract long freshAt(long value);

    /** Returns the state after returning permits that still count. */
    public abstract long giveBack(long value, TakenPermits taken, long now);

    /** Returns a state of this limit with as many used permits as {@code state} has of {@code previous}. */
    public long carry(CompiledLimit previous, LimitState state, long now) {
        long used = Math.min(previous.atOnce() - state.remaining(now), capacity());
        return used == 0 ? fresh() : take(fresh(), now, used);
    }

    @Override
    public final NumberState newState() {
        return new NumberState(this, fresh());
    }
}
