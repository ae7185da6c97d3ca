package dev.limiter.spi;

/**
 * The permits that one key has used of one limit. Not thread-safe; the storage synchronizes access. If the clock steps
 * back between two calls, implementations must neither grant permits nor block for longer than a window.
 */
public interface LimitState {

    /**
     * Returns 0 if {@code permits} could be taken now; otherwise nanoseconds until then, or NEVER or UNKNOWN of {@link
     * CompiledLimit}.
     */
    long waitNanos(long now, long permits);

    /**
     * Takes permits, after {@link #waitNanos} has returned 0. Returns the mark to pass to {@link #giveBack}. It is a
     * time, so it remains valid when the limit changes.
     */
    long take(long now, long permits);

    /** Does the same as {@link SingleNumberLimit#admissionNanos}, for this state. */
    default long admissionNanos(long now, long permits, long maxWait) {
        return waitNanos(now, permits);
    }

    /**
     * Takes permits for a turn in {@code wait} nanoseconds or later, after {@link #admissionNanos} has returned 0. If
     * there is no such turn, takes nothing and returns {@link SingleNumberLimit#NOTHING}.
     */
    default long reserve(long now, long wait, long permits) {
        return take(now, permits);
    }

    /** Returns permits that still count. */
    void giveBack(TakenPermits taken, long now);

    /** Returns the permits that could be taken now. */
    long remaining(long now);

    /**
     * Returns when this state equals a new one if nothing more is taken (in the past if it does already), or {@link
     * CompiledLimit#NOT_BY_TIME}.
     */
    long freshAt(long now);

    /** Takes over the used permits of {@code previous}, the state of the limit that this one replaces. */
    default void carry(LimitState previous, CompiledLimit previousLimit, long now) {
        long used = previousLimit.atOnce() - previous.remaining(now);
        take(now, Math.min(used, remaining(now)));
    }
}
