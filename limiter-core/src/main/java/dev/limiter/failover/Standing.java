package dev.limiter.failover;

import dev.limiter.Rule;

/** Where the limits of one rule and key stood in the shared storage by its last answer. */
public interface Standing {

    Rule rule();

    String key();

    /** When it was answered, in microseconds of the server's clock. */
    long takenAt();

    /** How many permits this answer took of the limit at that position; 0 if it only looked, or refused. */
    long taken(int limit);

    /** How many permits were left of the limit at that position. */
    long left(int limit);

    /** After how many nanoseconds nothing used counts any longer; {@link dev.limiter.Decision#UNKNOWN} for concurrency. */
    long lastingNanos(int limit);
}
