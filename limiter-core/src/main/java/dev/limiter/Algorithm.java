package dev.limiter;

/**
 * How a limit counts permits. The factory methods of {@link Limit} document the most that each permits over any window.
 */
public enum Algorithm {
    /** {@code limit} permits per window; each window starts from zero. */
    FIXED_WINDOW,
    /** A sliding window made of sub-windows; the oldest one counts in proportion to its overlap with the window. */
    SLIDING_WINDOW_COUNTER,
    /** Records each permit: exactly {@code limit} over any window. */
    SLIDING_WINDOW_LOG,
    /** A bucket of size {@code burst}, which requests fill and which leaks {@code limit} per window. */
    LEAKY_BUCKET,
    /** A bucket of {@code burst} tokens, refilled continuously at {@code limit} per window. The default. */
    TOKEN_BUCKET,
    /** At most {@code limit} requests in flight at once; has no window. */
    CONCURRENCY
}
