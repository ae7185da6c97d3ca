package dev.limiter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The result of one request for permits, as of the moment at which it was decided. Compared by identity, since {@link
 * #giveBack()} and {@link #close()} belong to this one request. Thread-safe.
 *
 * <p>Implementations extend {@link dev.limiter.spi.AbstractDecision}.
 */
public abstract class Decision implements AutoCloseable {

    protected Decision() {}

    /** Returns whether the request may go on. */
    public abstract boolean permitted();

    /** Returns whether the request asks for more than can ever be granted, so that waiting is of no use. */
    public abstract boolean never();

    /**
     * Returns the permits that the deciding limit could still grant at that moment, 0 or more, without those that the
     * request had to {@linkplain Charge#reserve(int) leave}.
     */
    public abstract long remaining();

    /**
     * Returns the time from the decision until the same request would be permitted if no other comes, exactly: one
     * nanosecond earlier it is rejected. Empty when it was permitted, {@linkplain #never() never will be}, or depends on
     * others (concurrency).
     */
    public abstract Optional<Duration> retryAfter();

    /**
     * Returns the time from the decision until the deciding limit is unused again, if no other request comes. Zero if
     * that depends on others (concurrency).
     */
    public abstract Duration resetAfter();

    /**
     * Returns how long to wait for one's turn before going on, as of the decision; zero if one may go at once. Only
     * charges that {@linkplain Charge#maxWait(Duration) wait} are permitted with a delay.
     */
    public abstract Duration delay();

    /**
     * Returns the rule that decided, as it was asked for: of several, the one that rejected for longest, or the tightest
     * if all permitted.
     */
    public abstract Rule rule();

    /**
     * Returns the limit that decided: the one that rejected for longest, or the one with the least left if all
     * permitted. While several instances decide {@linkplain #onFailure() alone}, it is the share of this one.
     */
    public abstract Limit limit();

    /** Returns the status of each limit of the request, in the order of its rules and their limits. */
    public abstract List<LimitStatus> limits();

    /** Returns the decisions on each rule and key of the request, in the order of the charges. */
    public abstract List<Decision> parts();

    /**
     * Returns how this was decided while the storage was unavailable; empty if the storage decided. For several charges
     * it is that of the one that decided; {@link #parts} have each.
     */
    public abstract Optional<OnFailure> onFailure();

    /**
     * Returns the permits that this decision took, as far as they still count: never beyond full, never into a later
     * window; and {@linkplain #close() releases} those that it holds. The second call and any call on a rejection do
     * nothing.
     */
    public abstract void giveBack();

    /** Releases what this decision holds of a concurrency limit, once; of other limits it holds nothing. */
    @Override
    public abstract void close();
}
