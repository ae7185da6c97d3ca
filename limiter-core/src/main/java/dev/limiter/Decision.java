package dev.limiter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The result of one request for permits, as of the time of the decision. Decisions are compared by identity, because
 * {@link #giveBack()} and {@link #close()} belong to one request. Thread-safe.
 *
 * <p>Implementations extend {@link dev.limiter.spi.AbstractDecision}.
 */
public abstract class Decision implements AutoCloseable {

    protected Decision() {}

    /** Returns whether the request is permitted. */
    public abstract boolean permitted();

    /** Returns whether the request needs more permits than can ever be granted, so that retrying is pointless. */
    public abstract boolean never();

    /**
     * Returns the permits that the deciding limit had left, 0 or more, excluding those that the request had to
     * {@linkplain Charge#reserve(int) reserve} for others.
     */
    public abstract long remaining();

    /**
     * Returns the time from the decision until the same request would be permitted, if no other request comes in
     * between. The value is exact: one nanosecond earlier the request is still rejected. Empty if the request was
     * permitted, {@linkplain #never() can never be}, or depends on releases by others (concurrency).
     */
    public abstract Optional<Duration> retryAfter();

    /**
     * Returns the time from the decision until the deciding limit is unused again, if no other request comes. Zero if
     * that depends on releases by others (concurrency).
     */
    public abstract Duration resetAfter();

    /**
     * Returns how long the caller must wait for its turn, counted from the decision; zero if it may proceed at once.
     * Only charges with a {@linkplain Charge#maxWait(Duration) maximum wait} are permitted with a delay.
     */
    public abstract Duration delay();

    /**
     * Returns the rule that decided, as passed by the caller. Of several rules, this is the one with the longest wait,
     * or the one with the least left if all permitted.
     */
    public abstract Rule rule();

    /**
     * Returns the limit that decided: the one with the longest wait, or the one with the least left if all permitted.
     * For a {@linkplain #onFailure() local decision} during an outage, it is the share of this instance.
     */
    public abstract Limit limit();

    /** Returns the status of each limit, in the order of the rules and of their limits. */
    public abstract List<LimitStatus> limits();

    /** Returns one decision per rule and key, in the order of the charges. */
    public abstract List<Decision> parts();

    /**
     * Returns how the request was decided while the storage was unavailable, or empty if the storage decided. For
     * several charges, this describes the one that decided; use {@link #parts} for the others.
     */
    public abstract Optional<OnFailure> onFailure();

    /**
     * Refunds the permits of this decision and {@linkplain #close() releases} those in flight. Only permits that still
     * count are returned: never above the limit, and never into a later window. Further calls, and calls on a
     * rejection, do nothing.
     */
    public abstract void giveBack();

    /** Releases the permits held by concurrency limits, once. Does nothing for other limits. */
    @Override
    public abstract void close();
}
