package dev.limiter;

/**
 * A limit whose state is one number, so that a decision is: read the number, read the clock, compute the next number,
 * compare and set. All methods are pure functions.
 */
public abstract class NumberLimit extends CompiledLimit {

    /** Instead of a next number. No state ever has this value. */
    public static final long REFUSED = Long.MIN_VALUE;

    /** Instead of the state right after permits were taken: none of this limit were, or they are no longer to be returned. */
    public static final long NOTHING = -(1L << 62);

    protected NumberLimit(Limit limit) {
        super(limit);
    }

    /** The state of which nothing is used. */
    public abstract long fresh();

    /** The state after taking permits, or {@link #REFUSED}. */
    public abstract long take(long value, long now, long permits);

    /** The state to continue from when the clock has stepped back far; the same state otherwise. */
    public long settle(long value, long now) {
        return value;
    }

    /** 0 if so many permits could be taken now, else nanoseconds until then, or NEVER or UNKNOWN of {@link Decision}. */
    public abstract long waitNanos(long value, long now, long permits);

    /** The permits that could be taken now. */
    public abstract long remaining(long value, long now);

    /** When the state becomes indistinguishable from a new one; in the past if it is; or {@link #NOT_BY_TIME}. */
    public abstract long freshAt(long value);

    /**
     * The state after returning permits, as far as they still count.
     *
     * @param taken the state right after they were taken, or {@link #NOTHING}
     */
    public abstract long giveBack(long value, long taken, long now, long permits);

    /** The state that has used of this limit what {@code value} has used of {@code previous}, in permits. */
    public long carry(CompiledLimit previous, LimitState state, long now) {
        long used = Math.min(previous.capacity() - state.remaining(now), capacity());
        return take(fresh(), now, used);
    }

    @Override
    public final NumberState newState() {
        return new NumberState(this, fresh());
    }
}
