package dev.limiter;

/**
 * A turn that moves up when one before it in the same queue is given up, as a storage's {@linkplain
 * Decision#queuedTurn() decision} tells of it. Used by one thread at a time.
 */
public interface QueuedTurn {

    /** The state from which the permits were taken, compared by identity: turns of one state form a queue. */
    Object state();

    /**
     * The permits that had to be left for others, 0 or more. Among turns of one state with the same number, the earlier
     * request never has the later turn.
     */
    long kept();

    /** The time of this turn as far as the state alone decides, in epoch nanoseconds of the storage's clock. */
    long nanos();

    /**
     * Returns the permits. The result is the distance by which every turn behind this one {@linkplain #moveUp
     * moves up}, 0 or more.
     */
    long giveUp();

    /** Moves this turn up by the sum of the {@link #giveUp} results of turns before it. */
    void moveUp(long units);
}
