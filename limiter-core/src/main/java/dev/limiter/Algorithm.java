package dev.limiter;

/** The way a limit counts. The factory methods of {@link Limit} state the guarantee of each over any window. */
public enum Algorithm {
    /** {@code limit} permits per window; the count starts anew with each window. */
    FIXED_WINDOW,
    /** Sub-windows that slide; the oldest, partly expired one counts in part. */
    SLIDING_WINDOW_COUNTER,
    /** Remembers each permit: exactly {@code limit} over any window. */
    SLIDING_WINDOW_LOG,
    /** A bucket of {@code burst} that fills with requests and leaks {@code limit} per window. */
    LEAKY_BUCKET,
    /** A bucket of {@code burst} tokens, refilled continuously with {@code limit} per window; the default. */
    TOKEN_BUCKET,
    /** {@code limit} in flight at once; no window. */
    CONCURRENCY
}
