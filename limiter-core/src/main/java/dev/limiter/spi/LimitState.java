package dev.limiter.spi;

/**
 * The use of one limit by one key. Not thread-safe: the storage guards it. A clock that steps back between two calls
 * must neither grant permits nor block for longer than a window.
 */
public interface LimitState {

    /**
     * 0 if so many permits could be taken now, else nanoseconds until then, or NEVER or UNKNOWN of {@link CompiledLimit}.
     */
    long waitNanos(long now, long permits);

    /**
     * Takes permits, after {@link #waitNanos} has said 0; returns the mark that {@link #giveBack} wants: a time, so
     * that it means the same after the limit has changed.
     */
    long take(long now, long permits);

    /** See {@link SingleNumberLimit#admissionNanos}. */
    default long admissionNanos(long now, long permits, long maxWait) {
        return waitNanos(now, permits);
    }

    /**
     * Takes permits for a turn in {@code wait} nanoseconds or later, after {@link #admissionNanos} has said 0; none,
     * and returns {@link SingleNumberLimit#NOTHING}, if there is no turn so late.
     */
    default long reserve(long now, long wait, long permits) {
        return take(now, permits);
    }

    /** Returns permits as far as they still count. */
    void giveBack(TakenPermits taken, long now);

    /** The permits that could be taken now. */
    long remaining(long now);

    /**
     * When this state becomes indistinguishable from a new one, if nothing more is taken; in the past if it is; or
     * {@link CompiledLimit#NOT_BY_TIME}.
     */
    long freshAt(long now);

    /** Takes over the permits used in {@code previous}, the state of the limit that this one replaces. */
    default void carry(LimitState previous, CompiledLimit previousLimit, long now) {
        long used = previousLimit.atOnce() - previous.remaining(now);
        take(now, Math.min(used, remaining(now)));
    }
}
