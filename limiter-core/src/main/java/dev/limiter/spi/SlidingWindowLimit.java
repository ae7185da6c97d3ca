package dev.limiter.spi;

import dev.limiter.Limit;

/**
 * A limit whose permits are each forgotten at a time that is known when they are taken. The mark that its states return
 * from {@link LimitState#take} is the time under which the permits are remembered.
 */
public abstract class SlidingWindowLimit extends CompiledLimit {

    protected SlidingWindowLimit(Limit limit) {
        super(limit);
    }

    /** The time from which a permit remembered under {@code takenAt} no longer counts; both in epoch nanoseconds. */
    public abstract long forgottenAt(long takenAt);
}
