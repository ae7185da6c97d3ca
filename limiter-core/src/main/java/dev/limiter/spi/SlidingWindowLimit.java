package dev.limiter.spi;

import dev.limiter.Limit;

/**
 * A limit for which the expiry of a permit is known when it is taken. {@link LimitState#take} returns the time under
 * which the permits are recorded.
 */
public abstract class SlidingWindowLimit extends CompiledLimit {

    protected SlidingWindowLimit(Limit limit) {
        super(limit);
    }

    /** Returns when a permit that was recorded at {@code takenAt} expires; both in epoch nanoseconds. */
    public abstract long forgottenAt(long takenAt);
}
